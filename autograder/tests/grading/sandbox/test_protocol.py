"""Whatever becomes of one run, the next has its own result: at random, and with a fault at every message."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest
from autograder.grading.sandbox.limits import Limits
from autograder.grading.sandbox.walls import Inside
from autograder.grading.sandbox.workers import Job, Ran, SandboxFailed, Worker
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from support import stub_sandbox

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the sandbox is Linux's")
# Beyond a run's own time, of which a faulty one here has none.
GRACE = 0.5
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


def job(*does: str, seconds: float = 60) -> Job:
    return Job([(f"cell-{at}", text) for at, text in enumerate(does)], limits=Limits(seconds=seconds))


def run(worker: Worker, *does: str) -> Ran | None:
    """What a faulty job comes to, if anything. However it ends, it says nothing but of its own cells."""
    try:
        ran = worker.run(job(*does, seconds=0))
    except (SandboxFailed, Interrupted):
        return None
    assert ran.cells.keys() <= {f"cell-{at}" for at in range(len(does))}
    assert stub_sandbox.OF_ANOTHER not in str(ran.cells)
    return ran


def assert_honest(worker: Worker, *does: str) -> None:
    """Hold an honest job's result against the one that it has alone."""
    ran = worker.run(job(*does))
    alone = {
        f"cell-{at}": (1, stub_sandbox.outputs(f"cell-{at}", "" if text == "ok" else text))
        for at, text in enumerate(does)
    }
    assert ran == Ran(alone, "finished", f"cell-{len(does) - 1}", 0.1)


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
        Runs, settings=settings(max_examples=15, stateful_step_count=8, deadline=None, database=None)
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_any_message_reaches_no_other_run(fault: str) -> None:
    with Worker(Inside(), stub_sandbox.start, GRACE) as worker:
        for at in range(3):
            run(worker, *["ok"] * at, fault, *["ok"] * (2 - at))
            assert_honest(worker, "ok", "large")


def test_a_sandbox_that_reads_no_job_is_given_up_and_the_job_runs_in_another() -> None:
    with Worker(Inside(), stub_sandbox.start, 5) as worker:
        assert_honest(worker, "ok")
        stopped = process(worker)
        os.kill(stopped, signal.SIGSTOP)
        large = replace(job("ok"), files={"large": bytes(1 << 20)})
        assert worker.run(large) == Ran(
            {"cell-0": (1, stub_sandbox.outputs("cell-0", ""))}, "finished", "cell-0", 0.1
        )
        assert process(worker) != stopped


@pytest.mark.parametrize(
    ("fault", "said"), [("ends", "in the middle"), ("stops", "in time"), ("is of none", "job")]
)
def test_a_sandbox_lost_twice_in_one_run_is_our_fault_and_says_how(fault: str, said: str) -> None:
    with Worker(Inside(), stub_sandbox.start, GRACE) as worker, pytest.raises(SandboxFailed, match=said):
        worker.run(job("ok", fault, seconds=0))
