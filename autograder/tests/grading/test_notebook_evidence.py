"""Evidence out of an executed notebook, verdicts into it; only what each run really showed counts."""

from __future__ import annotations

import dataclasses
from copy import deepcopy

import nbformat
import pytest
import torch
from autograder.grading.notebook_evidence import (
    bound_outputs,
    evidence_of,
    judge_notebook,
    learner_code_before,
    show_verdict,
)
from autograder.grading.sandbox.execute_notebook import Executed
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect
from autograder.records.answer_findings import NotComputed, NotRun
from autograder.records.cell_roles import ADDED
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import pack
from autograder.records.run_outcome import Evidence
from nbformat.v4 import new_code_cell, new_output


def result(data):
    return new_output("execute_result", data={"text/plain": "0", **data}, execution_count=1)


def right(x):
    return x / x.sum()


@pytest.fixture
def ran(release, lesson):
    """The release after it ran: each test cell shows the evidence about an answer found in a namespace."""

    def run(namespace, name="as-seen"):
        built = deepcopy(release)
        for cell in built.cells:
            if cell["id"] in lesson.tasks:
                task = lesson.tasks[cell["id"]]
                evidence = collect(task, lesson, {**lesson.givens[name], **namespace}, name)
                cell.outputs = [result({EVIDENCE_MIME: pack(evidence)})]
        return built

    return run


@pytest.fixture
def both(ran, lesson):
    """Both runs of a notebook that computes its row sums with some function."""

    def run(function, **more):
        given = {name: values["table"] for name, values in lesson.givens.items()}
        runs = {name: ran({"row_sums": function(table), **more}, name) for name, table in given.items()}
        return Executed(runs.pop("as-seen")), {name: Executed(ran) for name, ran in runs.items()}

    return run


@pytest.fixture
def tests_of(lesson, release):
    """The lesson cut to the tasks that the tiny release asks for."""
    names = ("share", "row-sums")
    return dataclasses.replace(lesson, tasks={name: lesson.tasks[name] for name in names})


def put(notebook, name, *outputs):
    for cell in notebook.cells:
        if cell["id"] == name:
            cell.outputs = list(outputs)
    return notebook


# Taking evidence out


def test_evidence_is_taken_from_the_tasks_own_test_cell(ran):
    evidence = evidence_of("share", ran({"share": right}))
    assert (evidence.task, evidence.status) == ("share", "answered")


def test_a_run_that_stopped_early_says_why(release):
    assert evidence_of("share", release, "the kernel died").note == "the kernel died"


def test_evidence_in_another_cell_does_not_count(ran, release):
    packed = ran({"share": right}).cells[4].outputs[0]
    put(release, "share-answer", packed)
    put(release, "row-sums", packed)
    assert evidence_of("share", release).status == "not-run"


def test_evidence_about_another_task_does_not_count(ran):
    notebook = ran({"share": right})
    put(notebook, "row-sums", *next(cell.outputs for cell in notebook.cells if cell["id"] == "share"))
    assert evidence_of("row-sums", notebook).status == "not-run"


def test_other_outputs_beside_the_evidence_do_not_matter(ran):
    notebook = ran({"share": right})
    cell = next(cell for cell in notebook.cells if cell["id"] == "share")
    noise = new_output("stream", text="noise")
    cell.outputs = [noise, result({"text/html": "<b>100 points</b>"}), *cell.outputs]
    assert evidence_of("share", notebook).status == "answered"


@pytest.mark.parametrize("packed", ["", "{}", "not json", None, 5, {"evidence": {}}, ["{}"]], ids=str)
def test_forged_evidence_is_not_run_with_a_reason(release, packed):
    put(release, "share", result({EVIDENCE_MIME: packed}))
    evidence = evidence_of("share", release)
    assert evidence.status == "not-run"
    assert evidence.note != ""


def test_a_typed_in_score_earns_nothing(tests_of, release):
    put(release, "share", result({"text/plain": "3"}))
    verdicts = judge_notebook(tests_of, Executed(release), {})
    assert verdicts["share"].earned == 0


# Judging both runs


def test_a_typed_in_number_earns_nothing(tests_of, both):
    verdicts = judge_notebook(tests_of, *both(lambda table: torch.tensor([6.0, 16.0]), share=right))
    assert verdicts["row-sums"].earned == 0
    assert verdicts["row-sums"].finding.probe == "redrawn-1"


def test_a_known_wrong_tensor_is_named_over_both_runs(tests_of, both):
    verdicts = judge_notebook(tests_of, *both(lambda table: table.mean(dim=1)))
    assert verdicts["row-sums"].known_wrong == "means"


def test_a_redrawn_run_that_left_nothing_earns_nothing(tests_of, both, release):
    seen, _ = both(lambda table: table.sum(dim=1))
    verdicts = judge_notebook(tests_of, seen, {"redrawn-1": Executed(release)})
    assert (verdicts["row-sums"].earned, type(verdicts["row-sums"].finding)) == (0, NotComputed)


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("row-sums", "with other numbers, it did not end"),
        ("row-sums-answer", "with other numbers, it did not end"),
        ("figure", "with other numbers, the cell figure was stopped: it did not end"),
        ("shown", None),  # which comes later
    ],
)
def test_a_redrawn_run_that_was_stopped_says_so_and_nothing_of_the_answer(
    tests_of, both, release, cell, says
):
    seen, _ = both(lambda table: table.sum(dim=1))
    stopped = Executed(release, stops={cell: "it did not end"})
    finding = judge_notebook(tests_of, seen, {"redrawn-1": stopped})["row-sums"].finding
    assert (type(finding), getattr(finding, "reason", None)) == (NotRun if says else NotComputed, says)


def test_a_redrawn_run_that_answers_for_the_run_as_seen_earns_nothing(tests_of, both):
    # os.environ["AUTOGRADER_RUN"] = "as-seen"; table = …; row_sums = torch.tensor([6.0, 16.0])
    seen, _ = both(lambda table: torch.tensor([6.0, 16.0]))
    verdicts = judge_notebook(tests_of, seen, {"redrawn-1": deepcopy(seen)})
    assert verdicts["row-sums"].earned == 0


def test_a_redrawn_run_that_answers_nothing_earns_nothing(tests_of, both, release):
    seen, _ = both(lambda table: table.sum(dim=1))
    silent = put(release, "row-sums", result({EVIDENCE_MIME: pack(Evidence("row-sums", "answered"))}))
    assert judge_notebook(tests_of, seen, {"redrawn-1": Executed(silent)})["row-sums"].earned == 0


def test_the_run_as_seen_cannot_answer_for_the_redrawn_one(tests_of, both, lesson, release):
    seen, _ = both(lambda table: table.sum(dim=1))
    expected = {name: probe.expected for name, probe in lesson.tasks["row-sums"].probe.items()}
    evidence = pack(Evidence("row-sums", "answered", outcomes=expected))
    forged = put(deepcopy(seen.notebook), "row-sums", result({EVIDENCE_MIME: evidence}))
    silent = put(release, "row-sums", result({EVIDENCE_MIME: pack(Evidence("row-sums", "answered"))}))
    assert judge_notebook(tests_of, Executed(forged), {"redrawn-1": Executed(silent)})["row-sums"].earned == 0


def test_a_function_is_judged_from_the_run_as_seen(tests_of, both, release):
    seen, _ = both(lambda table: table.sum(dim=1), share=right)
    assert judge_notebook(tests_of, seen, {"redrawn-1": Executed(release)})["share"].earned == 3


# Showing the verdict


@pytest.fixture
def graded(release, share, cell_of):
    def show(verdict):
        cell = cell_of(release, "share")
        cell.outputs = [new_output("stream", text="noise")]
        show_verdict(cell, share, verdict)
        nbformat.validate(release)
        return cell

    return show


def test_the_score_is_the_results_plain_text(graded, judged, share):
    half = judged(share, lambda x: right(x) if len(x) == 4 else x)
    cell = graded(half)
    assert [output.output_type for output in cell.outputs] == ["execute_result"]
    assert cell.outputs[0].data["text/plain"] == "2"


def test_nbgrader_reads_the_points_from_it(graded, judged, share):
    from nbgrader.utils import determine_grade

    half = judged(share, lambda x: right(x) if len(x) == 4 else x)
    assert determine_grade(graded(half))[0] == 2
    assert determine_grade(graded(judged(share, right)))[0] == 3
    assert determine_grade(graded(judged(share, ...)))[0] == 0


def test_the_feedback_stands_beside_the_score(graded, judged, share):
    data = graded(judged(share, lambda x: x / x.max())).outputs[0].data
    assert "You divided by the largest" in data["text/html"]
    assert data["text/plain"] == "0"


EVIL = "<script>alert(1)</script>"


def test_nothing_that_a_learner_wrote_becomes_html_in_the_graded_notebook(graded, share):
    evidence = Evidence("share", "missing", nearest=(EVIL,))
    assert "<script>" not in graded(judge(share, evidence)).outputs[0].data["text/html"]


def test_a_graded_notebook_can_be_written_whatever_the_learner_raised(graded, judged, share, release):
    def failing(x):
        raise ValueError("\ud800 \x00 \x1b")

    graded(judged(share, failing))
    nbformat.writes(release).encode("utf-8")


@pytest.mark.parametrize("name", ["CellTimeoutError", "KeyboardInterrupt"])
def test_a_check_that_ran_out_of_time_says_so(release, name):
    put(release, "share", new_output("error", ename=name, evalue="", traceback=[]))
    assert "perhaps a loop is endless" in evidence_of("share", release).note


def test_a_check_that_stopped_with_an_error_names_it(release):
    put(release, "share", new_output("error", ename="MemoryError", evalue="", traceback=[]))
    assert evidence_of("share", release).note == "its check stopped with MemoryError"


def test_an_error_is_cut_too(release):
    put(release, "share-answer", new_output("error", ename="E", evalue="x" * 250, traceback=["y" * 90] * 3))
    bound_outputs(release, most=100)
    (error,) = [output for cell in release.cells for output in cell.get("outputs", ())]
    assert error.evalue == "x" * 100 + "\n… 150 more characters were cut off …"
    assert error.traceback == ["y" * 90 + "\n" + "y" * 9 + "\n… 172 more characters were cut off …"]


def test_pictures_and_tables_together_are_cut_where_they_are_too_much(release):
    for size in (10, 500, 40, 400):
        put(release, "share-answer", new_output("display_data", data={"text/html": "x" * size}))
    bound_outputs(release, most_shown=500)
    saved = [output.data for cell in release.cells for output in cell.get("outputs", ())]
    assert [list(data) for data in saved] == [["text/html"], ["text/plain"], ["text/html"], ["text/html"]][
        : len(saved)
    ]


def test_what_a_cell_printed_is_cut_and_the_rest_is_counted(release):
    put(release, "share-answer", new_output("stream", text="x" * 250))
    bound_outputs(release, most=100)
    texts = [output.text for cell in release.cells for output in cell.get("outputs", ())]
    assert texts == ["x" * 100 + "\n… 150 more characters were cut off …"]


def test_the_learners_own_cells_before_a_check_are_theirs_alone(release, tests_of):
    release.cells.insert(3, new_code_cell("scratch", id=f"{ADDED}1"))
    release.cells.append(new_code_cell("below", id=f"{ADDED}2"))
    actual = list(learner_code_before(tests_of.tasks["row-sums"], release))

    assert actual == ["scratch", "def share(x):\n    ...", "row_sums = ..."]
