"""What is read of a stranger's bytes has limits, and costs nobody else anything."""

import os
import signal
import time
from contextlib import contextmanager

import pytest
from autograder.grading import reader_processes
from autograder.grading.reader_processes import LimitReached, Process, Processes, ResourceLimits, TimeBudget
from support.pieces import dig, fail, fill, leave, spin, unlike_any

SMALL = ResourceLimits(processor_seconds=1, memory_bytes=100 * reader_processes.MEBIBYTE, seconds=20)


@pytest.fixture
def process():
    result = Process()
    yield result
    result.close()


@pytest.mark.parametrize(
    ("function", "output"),
    [
        (spin, "more time of the"),
        (fill, "more memory"),
        (dig, "nested too deep"),
        (leave, "ended the process"),
    ],
)
def test_a_limit_is_said_and_the_next_piece_is_read(process, function, output):
    with pytest.raises(LimitReached, match=output):
        process.call(SMALL, function)
    assert process.call(SMALL, abs, -1) == 1


def test_a_process_that_ran_out_of_memory_is_not_kept(process):
    before = process.call(SMALL, os.getpid)
    with pytest.raises(LimitReached, match="more memory"):
        process.call(SMALL, fill)
    assert process.call(SMALL, os.getpid) != before


def test_a_piece_does_not_pay_for_a_process_that_was_lost_before(process):
    for _ in range(5):
        os.kill(process.call(SMALL, os.getpid), signal.SIGKILL)
        assert process.call(SMALL, abs, -1) == 1


def test_a_process_that_takes_no_piece_is_replaced(process):
    process.call(SMALL, os.getpid)  # and with it what all others are forked from
    short = Process(begin_seconds=3)
    stopped = short.call(SMALL, os.getpid)
    os.kill(stopped, signal.SIGSTOP)
    assert short.call(SMALL, len, bytes(5_000_000)) == 5_000_000
    assert short.call(SMALL, os.getpid) != stopped
    short.close()


def test_what_sleeps_is_ended_by_the_clock(process):
    with pytest.raises(LimitReached, match=r"more than 0\.5 seconds"):
        process.call(ResourceLimits(seconds=0.5), time.sleep, 60)
    assert process.call(SMALL, abs, -1) == 1


def test_one_process_is_kept_and_its_time_is_each_piece_s_own(process):
    numbers = {process.call(SMALL, os.getpid) for _ in range(3)}
    for _ in range(8):  # together more than one of them may take
        process.call(SMALL, sum, range(10_000_000))
    numbers.add(process.call(SMALL, os.getpid))
    assert len(numbers) == 1
    assert os.getpid() not in numbers


def test_pieces_that_share_their_time_take_no_more_than_one_of_them_may():
    share = TimeBudget(1.0)
    assert share.within(sum, range(10_000_000)) > 0
    assert share.seconds < 1
    with pytest.raises(LimitReached, match="more time of the processor"):
        share.within(spin)
    with pytest.raises(LimitReached, match="other files of theirs"):
        share.within(abs, -1)


def test_an_error_of_a_piece_is_its_own_and_what_cannot_be_sent_is_one(process):
    before = process.call(SMALL, os.getpid)
    with pytest.raises(ValueError, match="as elsewhere"):
        process.call(SMALL, fail)
    with pytest.raises(RuntimeError, match="pickle"):
        process.call(SMALL, unlike_any)
    assert process.call(SMALL, os.getpid) == before


def test_two_processes_work_at_one_time_and_one_that_is_lost_is_replaced():
    executor = Processes(2)
    waits = [executor.submit(time.sleep, 0.01) for _ in range(4)]
    assert [item.result() for item in waits] == [None] * 4
    with pytest.raises(LimitReached):
        executor.submit(leave).result()
    assert [executor.submit(abs, -1).result() for _ in range(4)] == [1] * 4
    executor.shutdown()


def test_one_that_is_closed_while_it_starts_is_ended_without_an_error(monkeypatch):
    result = Process()

    @contextmanager
    def closed_meanwhile():
        result.close()
        yield

    monkeypatch.setattr(reader_processes, "_without_main", closed_meanwhile)
    with pytest.raises(LimitReached, match="closed"):
        result.start()
    assert result._process is None


def test_shut_down_they_end_at_once():
    executor = Processes(1)
    number = executor.submit(os.getpid).result()
    waits = executor.submit(time.sleep, 600)
    time.sleep(0.2)
    executor.shutdown(wait=True, cancel_futures=True)
    with pytest.raises(LimitReached):
        waits.result()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
