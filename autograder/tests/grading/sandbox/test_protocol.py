"""Whatever becomes of one run, the next has its own result: at random, and with a fault at every message."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from autograder.grading.reader_processes import MEBIBYTE, READING, LimitReached, Process, ResourceLimits
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.sandbox_client import RunResult, SandboxFailed, Worker
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from support import stub_sandbox
from support.stub_sandbox import MUCH, graded, job

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the sandbox is Linux's")
# Beyond a run's own time, of which a faulty one here has none.
GRACE = 0.5
ROOM, SCANTY = ResourceLimits(), ResourceLimits(memory_bytes=30 * MEBIBYTE)
FAULTS = sorted(stub_sandbox.FAULTS)


class Interrupted(BaseException):
    """A signal reached the grader while it read."""


@pytest.fixture(autouse=True)
def interrupted() -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, interrupt)
    yield
    signal.signal(signal.SIGUSR1, before)


def run(worker: Worker, *does: str) -> RunResult | None:
    """What a faulty job comes to, if anything. However it ends, it says nothing but of its own cells."""
    try:
        ran = worker.run(job(does, seconds=0))
    except (SandboxFailed, Interrupted):
        return None
    assert ran.cells.keys() <= {f"cell-{at}" for at in range(len(does))}
    assert stub_sandbox.OF_ANOTHER not in str(ran.cells)
    return ran


def assert_honest(worker: Worker, *does: str) -> None:
    """Hold an honest job's result against the one that it has alone."""
    assert worker.run(job(does)) == alone(does)


def alone(does: Sequence[str]) -> RunResult:
    """Return what an honest job comes to."""
    cells = {
        f"cell-{at}": (1, stub_sandbox.outputs(f"cell-{at}", "" if text == "ok" else text))
        for at, text in enumerate(does)
    }
    return RunResult(cells, "finished", f"cell-{len(does) - 1}", 0.1)


def process(worker: Worker) -> int:
    assert worker._process is not None
    return worker._process.pid


HONEST = st.lists(st.sampled_from(["ok", "ok", "short", "large"]), min_size=1, max_size=4)


class Runs(RuleBasedStateMachine):
    """Honest runs and others, in one worker, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.worker = Worker(Inside(), stub_sandbox.start, GRACE)

    @rule(does=HONEST)
    def honest(self, does: list[str]) -> None:
        assert_honest(self.worker, *does)

    @rule(before=HONEST, fault=st.sampled_from([name for name in FAULTS if name != "stops"]), after=HONEST)
    def faulty(self, before: list[str], fault: str, after: list[str]) -> None:
        run(self.worker, *before, fault, *after)

    @rule(how=st.sampled_from([signal.SIGKILL, signal.SIGTERM]))
    def sandbox_is_killed(self, how: signal.Signals) -> None:
        if self.worker._process is not None:
            os.kill(process(self.worker), how)

    @rule()
    def sandbox_is_closed(self) -> None:
        self.worker.close()

    @invariant()
    def next_is_as_alone(self) -> None:
        assert_honest(self.worker, "ok", "other")

    def teardown(self) -> None:
        self.worker.close()


def test_in_any_order_of_runs_each_honest_one_has_its_own_result() -> None:
    run_state_machine_as_test(
        Runs, settings=settings(max_examples=12, stateful_step_count=8, deadline=None, database=None)
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_any_message_reaches_no_other_run(fault: str) -> None:
    with Worker(Inside(), stub_sandbox.start, GRACE) as worker:
        for at in range(3):
            run(worker, *["ok"] * at, fault, *["ok"] * (2 - at))
            assert_honest(worker, "ok", "large")


class Readings(RuleBasedStateMachine):
    """The same where a kept process reads, which may run out of memory in the middle of a run, or die."""

    def __init__(self) -> None:
        super().__init__()
        self.process = Process()

    def call(self, *does: str, room: ResourceLimits = ROOM, seconds: float = 60) -> RunResult:
        return self.process.call(room, graded, does, seconds)

    @rule(does=HONEST)
    def honest(self, does: list[str]) -> None:
        assert self.call(*does) == alone(does)

    @rule(before=HONEST, much=st.sampled_from(["one letter beyond all others", "texts"]), after=HONEST)
    def out_of_memory(self, before: list[str], much: str, after: list[str]) -> None:
        with pytest.raises(LimitReached, match="more memory"):
            self.call(*before, much, *after, room=SCANTY)

    @rule(before=HONEST, fault=st.sampled_from([name for name in FAULTS if name != "stops"]), after=HONEST)
    def faulty(self, before: list[str], fault: str, after: list[str]) -> None:
        with suppress(SandboxFailed, LimitReached):
            ran = self.call(*before, fault, *after, seconds=0)
            assert stub_sandbox.OF_ANOTHER not in str(ran.cells)

    @rule()
    def late(self) -> None:
        with pytest.raises((LimitReached, SandboxFailed)):
            self.call("stops", room=ResourceLimits(seconds=0.1))

    @rule()
    def process_is_killed(self) -> None:
        os.kill(self.process.call(ROOM, os.getpid), signal.SIGKILL)

    @invariant()
    def next_is_as_alone(self) -> None:
        self.honest(["ok", "other"])

    def teardown(self) -> None:
        self.process.close()


def test_in_any_order_of_readings_each_honest_one_has_its_own_result() -> None:
    run_state_machine_as_test(
        Readings, settings=settings(max_examples=5, stateful_step_count=5, deadline=None, database=None)
    )


@pytest.mark.parametrize("much", MUCH)
def test_to_read_what_a_stranger_says_leaves_a_quarter_of_the_memory_for_the_rest(much: str) -> None:
    process = Process()
    ran = process.call(replace(READING, memory_bytes=READING.memory_bytes * 3 // 4), graded, [much] * 2)
    assert all(len(outputs) <= 1 for _, outputs in ran.cells.values())
    process.close()


def test_a_sandbox_that_reads_no_job_is_given_up_and_the_job_runs_in_another() -> None:
    with Worker(Inside(), stub_sandbox.start, 5) as worker:
        assert_honest(worker, "ok")
        stopped = process(worker)
        os.kill(stopped, signal.SIGSTOP)
        large = replace(job(["ok"]), files={"large": bytes(1 << 20)})
        assert worker.run(large) == RunResult(
            {"cell-0": (1, stub_sandbox.outputs("cell-0", ""))}, "finished", "cell-0", 0.1
        )
        assert process(worker) != stopped


@pytest.mark.parametrize(
    ("fault", "output"), [("ends", "in the middle"), ("stops", "in time"), ("is of none", "job")]
)
def test_a_sandbox_lost_twice_in_one_run_is_our_fault_and_says_how(fault: str, output: str) -> None:
    with Worker(Inside(), stub_sandbox.start, GRACE) as worker, pytest.raises(SandboxFailed, match=output):
        worker.run(job(["ok", fault], seconds=0))
