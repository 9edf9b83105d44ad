"""Notebooks run in the real sandbox: how runs end, what is kept of them, and what is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import filelock
import pytest
from autograder.grading.sandbox import sandbox_client, seccomp
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.execute_notebook import Executed, RunIncomplete, execute
from autograder.grading.sandbox.output_limits import LEFT_OUT_MIME
from autograder.grading.sandbox.resource_limits import MEBIBYTE, Limits
from autograder.grading.sandbox.sandbox_client import Job, SandboxFailed, Worker
from autograder.records.evidence_mime import EVIDENCE_MIME
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from support.process_tree import descendants

pytestmark = pytest.mark.usefixtures("walls")

# The times are those of a machine that has much else to do; `QUICK` is for what has to reach its limit.
LIMITS = Limits(
    cell_seconds=60, seconds=120, memory_bytes=200 * MEBIBYTE, processes=2, output_bytes=2 * MEBIBYTE
)
QUICK = replace(LIMITS, cell_seconds=1.0)
RULES = Job((), limits=LIMITS)
# Each of two processes stays within the limit; together they do not.
GREEDY = "import os, time\nos.fork()\nkept = b'x' * (150 * 2**20)\ntime.sleep(600)"
CROWD = "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        break\ntime.sleep(600)"
# A stranger who sends to the grader by itself needs the pipe: it is the one that is open.
PIPE = (
    "import os, stat\n"
    "pipe = next(n for n in range(3, 400) if os.path.exists(f'/proc/self/fd/{n}')"
    " and stat.S_ISFIFO(os.fstat(n).st_mode))\n"
)
FLOOD = "from IPython.display import display\nfor _ in range(40):\n"
FLOOD += "    display({'text/plain': 'x' * 100_000}, raw=True)"
ENDS = {
    "died": "import os\nos._exit(3)",
    "slow": "while True:\n    pass",
    "memory": GREEDY,
    "processes": CROWD,
    "output": FLOOD,
    "garbled": PIPE + "os.write(pipe, b'this is no message')",
}


# A child whose parent is the warm process, outside, which has to wait for it; and one more beside it.
OUTSIDE = (
    "import ctypes, os\n"
    "made = ctypes.CDLL(None).syscall(NUMBER, 0x8000 | 17, None, None, None, None)\n"
    "if made == 0:\n    os._exit(0)\nprint(made)"
)
# A cell that says again and again that it has just begun.
BEGINS = PIPE + (
    "import struct, time\n"
    "while True:\n    time.sleep(0.2)\n    os.write(pipe, struct.pack('>cI', b'S', 6) + b'cell-2')"
)
# A second of work; how long it took, in a machine that had other work as well.
WORK = (
    "import time\nbegun = time.monotonic()\nwhile time.thread_time() < 1:\n    pass\ntime.monotonic() - begun"
)
STORM = "import os\nwhile True:\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One warm process for all tests here."""
    with Worker(Inside()) as result:
        yield result


def cells(*sources: str) -> list[tuple[str, str]]:
    return [(f"cell-{number}", source) for number, source in enumerate(sources, start=1)]


def job(*sources: str, **how: object) -> Job:
    return Job(cells(*sources), **{"limits": LIMITS, **how})


def notebook(*sources: str) -> NotebookNode:
    return new_notebook(
        cells=[new_markdown_cell("# Prose", id="prose")]
        + [new_code_cell(source, id=name) for name, source in cells(*sources)]
    )


def printed(executed: Executed) -> dict[str, str]:
    """What each cell printed, or the error it ended with."""
    return {
        cell["id"]: "".join(
            output.get("text", "") or f"{output.get('ename')}: {output.get('evalue')}"
            for output in cell.outputs
        )
        for cell in executed.notebook.cells
        if cell.cell_type == "code"
    }


def warm_process(worker: Worker) -> int:
    process = worker._process
    assert process is not None
    return process.pid


def processes_of(worker: Worker) -> set[int]:
    return {warm_process(worker), *descendants(warm_process(worker))}


def wait_for(holds: Callable[[], bool]) -> None:
    while not holds():  # a test that takes too long is ended by pytest
        time.sleep(0.02)


def alive(processes: set[int]) -> set[int]:
    states = {}
    for process in processes:
        try:
            states[process] = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
    return {process for process, state in states.items() if state != "Z"}


def test_a_cell_that_nobody_reads_says_nothing_and_leaves_what_it_leaves(worker):
    sources = ("x = 7\nx", "1 / 0", "def f(:", "display(x)", "_, Out[1], x, In[2]")
    ran = worker.run(job(*sources, wanted=["cell-5"]))
    assert [outputs for _, outputs in ran.cells.values()][:4] == [[], [], [], []]
    (output,) = ran.cells["cell-5"][1]
    assert output["data"]["text/plain"] == "(7, 7, 7, '1 / 0')"
    # Nothing of that stays for the next run.
    assert worker.run(job("1 / 0")).cells["cell-1"][1][0]["ename"] == "ZeroDivisionError"


def test_a_run_that_finishes_yields_each_cells_count_and_outputs(worker):
    ran = worker.run(job("x = 2\nprint('two')", "x + 1"))
    assert (ran.how, ran.cell) == ("finished", "cell-2")
    assert ran.cells["cell-1"] == (1, [{"output_type": "stream", "name": "stdout", "text": "two\n"}])
    assert ran.cells["cell-2"] == (
        2,
        [
            {
                "output_type": "execute_result",
                "metadata": {},
                "data": {"text/plain": "3"},
                "execution_count": 2,
            }
        ],
    )


def test_a_run_knows_nothing_of_the_one_before(worker):
    worker.run(job("x = 2\nopen('/tmp/note', 'w').write('x')"))
    ran = worker.run(job("import os\nprint('x' in globals(), os.path.exists('/tmp/note'), os.getcwd())"))
    assert ran.cells["cell-1"][1][0]["text"] == "False False /tmp/work\n"


def test_a_run_sees_the_environment_that_it_is_given_and_not_the_graders(worker, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "hunter2")
    ran = worker.run(
        job(
            "import os\nprint(os.environ.get('SECRET_OF_THE_GRADER'), os.environ['A'])",
            environment={"A": "b"},
        )
    )
    assert ran.cells["cell-1"][1][0]["text"] == "None b\n"


def assert_next_is_as_alone(worker):
    ran = worker.run(job("print('own')", "6 * 7"))
    first, second = (outputs for _, outputs in ran.cells.values())
    assert (ran.how, first[0]["text"], second[0]["data"]) == ("finished", "own\n", {"text/plain": "42"})


@pytest.mark.parametrize("how", ENDS)
def test_a_run_that_is_ended_says_how_and_in_which_cell(worker, how):
    limits = QUICK if how == "slow" else LIMITS
    ran = worker.run(job("print('before')", ENDS[how], "print('after')", limits=limits))
    assert (ran.how, ran.cell) == (how, "cell-2")
    assert list(ran.cells) == ["cell-1"]
    assert_next_is_as_alone(worker)


def test_a_process_that_ends_itself_politely_has_died(worker):
    ran = worker.run(job("print('before')", "import os\nos._exit(0)"))
    assert (ran.how, ran.cell) == ("died", "cell-2")


def outside() -> str:
    return OUTSIDE.replace("NUMBER", str(seccomp.CLONE[list(seccomp.MACHINES).index(os.uname().machine)]))


def test_a_run_cannot_leave_a_child_to_those_outside(worker):
    assert worker.run(job(outside())).cells["cell-1"][1][0]["text"] == "-1\n"


def test_a_run_ends_though_it_left_a_child_to_those_outside():
    lifted = "from autograder.grading.sandbox import seccomp\nseccomp.refuse = lambda: None"
    with Worker(Inside(preload=(lifted,))) as worker:
        assert [worker.run(job(outside(), "1")).how for _ in range(2)] == ["finished"] * 2


def test_a_cell_begins_once_whatever_it_says(worker):
    ran = worker.run(job("1", BEGINS))
    assert (ran.how, ran.cell, sorted(ran.cells)) == ("garbled", "cell-2", ["cell-1"])


def test_processes_that_come_and_go_are_counted(worker):
    few = replace(LIMITS, started=50)
    assert worker.run(job(STORM, limits=few)).how == "processes"


def test_a_run_does_not_pay_for_what_others_do(worker):
    worker.run(job("pass"))
    processors = os.sched_getaffinity(0)
    shared = {min(processors)}
    loop = [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {shared})\nwhile True: pass"]
    # Each in a session of its own: where the kernel gives every session the same share, one is not enough.
    busy = [subprocess.Popen(loop, start_new_session=True) for _ in range(3)]
    sandbox = processes_of(worker)
    try:
        for process in sandbox:
            os.sched_setaffinity(process, shared)
        ran = worker.run(job(WORK))
    finally:
        for process in busy:
            process.kill()
            process.wait()
        for process in sandbox & processes_of(worker):
            os.sched_setaffinity(process, processors)
    on_the_clock = float(ran.cells["cell-1"][1][0]["data"]["text/plain"])
    assert ran.seconds < on_the_clock / 2  # of four that share a processor, each waits most of the time


def test_what_passes_before_the_first_cell_is_not_the_runs_time():
    lingers = "import functools, random, time\nrandom.linger = functools.partial(time.sleep, 3)"
    with Worker(Inside(preload=(lingers,))) as result:
        ran = result.run(job("1", first="random:linger", limits=replace(LIMITS, seconds=2, cell_seconds=1)))
    assert (ran.how, list(ran.cells)) == ("finished", ["cell-1"])


def test_what_a_run_started_ends_with_it(worker):
    worker.run(job("pass"))
    before = processes_of(worker)
    started = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(3600)"
    assert worker.run(job(started)).how == "finished"
    wait_for(lambda: processes_of(worker) <= before)


def test_a_run_that_closes_its_pipe_and_goes_on_is_ended(worker):
    ran = worker.run(job("print('before')", "import os, time\nos.closerange(3, 1000)\ntime.sleep(3600)"))
    assert (ran.how, ran.cell) == ("died", "cell-2")


def networks(worker: Worker) -> dict[str, str]:
    """Return what is in each network that the processes of a sandbox are in."""
    seen = {}
    for process in processes_of(worker):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            seen[os.readlink(f"/proc/{process}/ns/net")] = Path(f"/proc/{process}/net/dev").read_text()
    return seen


def test_each_run_has_a_network_of_its_own_in_which_there_is_nobody(worker):
    worker.run(job("pass"))
    own: set[str] = set()
    while not own:  # what a run before this one leaves may still be there when it begins, and hide it
        before, now = networks(worker), {}
        thread = threading.Thread(target=worker.run, args=(job("import time\ntime.sleep(1)"),))
        thread.start()
        while thread.is_alive() and not own:
            now = networks(worker)
            own = now.keys() - before.keys()  # neither the sandbox's nor the machine's, where its parent is
        thread.join()
    assert [[line.split(":")[0].strip() for line in now[name].splitlines()[2:]] for name in own] == [["lo"]]


def test_who_is_not_root_has_the_same_sandbox():
    code = (
        "from autograder.grading.sandbox.bubblewrap import Inside\n"
        "from autograder.grading.sandbox.sandbox_client import Job, Worker\n"
        "with Worker(Inside()) as worker:\n"
        "    for _ in range(2):\n"
        "        print(worker.run(Job([('one', '6 * 7')])).cells['one'][1][0]['data']['text/plain'])\n"
    )
    # Somebody without any capability, who may read what the one who runs the tests may read.
    ordinary = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/", "--"]
    done = subprocess.run([*ordinary, sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["42", "42"], done.stderr


def test_a_signal_to_its_own_group_reaches_nobody_else(worker):
    worker.run(job("pass"))
    first = warm_process(worker)
    assert worker.run(job("import os, signal\nos.killpg(0, signal.SIGKILL)")).how == "died"
    assert worker.run(job("pass")).how == "finished"
    assert warm_process(worker) == first


def test_a_stopped_cell_costs_itself_and_not_the_cells_around_it(worker):
    executed = execute(worker, notebook("print('before')", ENDS["died"], "print('after')"), RULES)
    texts = "before\n", "Stopped: it ended its own process", "after\n"
    assert tuple(printed(executed).values()) == texts
    assert executed.stops == {"cell-2": "it ended its own process"}
    assert executed.gave_up == ""


def test_a_notebook_whose_cells_together_take_too_long_blames_none_of_them():
    limits = replace(LIMITS, seconds=1.5)
    sleeps = notebook("print('before')", "import time\ntime.sleep(3600)")
    with (
        Worker(Inside()) as result,
        pytest.raises(RunIncomplete, match=r"its cells did not end within 1.5 seconds together"),
    ):
        execute(result, sleeps, Job((), limits=limits))


def test_forks_share_what_they_inherit(worker):
    pair = "import os, time\nkept = b'x' * (130 * 2**20)\n"
    pair += "if os.fork() == 0:\n    time.sleep(0.6)\n    os._exit(0)\nos.wait()"
    assert worker.run(job(pair)).how == "finished"


def test_a_sandbox_closed_for_good_is_not_started_again():
    result = Worker(Inside())
    result.close(for_good=True)
    with pytest.raises(SandboxFailed, match="closed"):
        result.run(job("pass"))


def test_what_other_programs_write_stands_in_the_cell_that_ran_them(worker):
    ran = worker.run(job("import os\nprint('a')\n_ = os.system('echo b; echo c >&2')", "print('d')"))
    streams = [(output["name"], output["text"]) for output in ran.cells["cell-1"][1][:2]]
    assert streams == [("stdout", "a\nb\n"), ("stderr", "c\n")]
    assert ran.cells["cell-2"][1][0]["text"] == "d\n"


def test_an_error_is_no_stop(worker):
    executed = execute(worker, notebook("1 / 0", "print('after')"), RULES)
    assert printed(executed) == {"cell-1": "ZeroDivisionError: division by zero", "cell-2": "after\n"}
    assert executed.stops == {}


def test_several_stops_are_told_one_by_one(worker):
    executed = execute(worker, notebook(ENDS["died"], "print('between')", CROWD, "print('after')"), RULES)
    assert executed.stops == {"cell-1": "it ended its own process", "cell-3": "it started too many processes"}
    assert [printed(executed)[name] for name in ("cell-2", "cell-4")] == ["between\n", "after\n"]


def test_a_notebook_with_many_stops_runs_to_its_end(worker):
    executed = execute(worker, notebook(*[ENDS["died"]] * 6, "print('after')"), RULES)
    assert executed.gave_up == ""
    assert len(executed.stops) == 6
    assert printed(executed)["cell-7"] == "after\n"


def test_the_notebook_that_was_given_is_not_changed(worker):
    given = notebook("print('x')")
    execute(worker, given, RULES)
    assert given.cells[1].outputs == []


@pytest.mark.parametrize(
    "reported",
    ['{"output_type": "stream", "name": "stdout"}', '"text"', "null", '{"output_type": "nothing"}', "[[]]"],
)
def test_what_has_no_form_of_an_output_stands_in_no_notebook(worker, reported):
    source = PIPE + (
        "import struct\n"
        f'text = \'{{"id": "cell-1", "count": 1, "outputs": [{reported}]}}\'.encode()\n'
        "os.write(pipe, struct.pack('>cI', b'C', len(text)) + text)\n"
        "os.write(pipe, struct.pack('>cI', b'S', 0))\n"
        "os.kill(os.getpid(), 9)"
    )
    ran = worker.run(job(source))
    assert "cell-1" in ran.cells
    executed = execute(worker, notebook(source), RULES)
    assert all(output.output_type == "error" for output in executed.notebook.cells[1].outputs)


def test_the_warm_process_that_was_killed_in_between_is_started_again(worker):
    worker.run(job("pass"))
    first = warm_process(worker)
    os.kill(first, signal.SIGKILL)
    assert worker.run(job("print('again')")).cells["cell-1"][1][0]["text"] == "again\n"
    assert warm_process(worker) != first


def test_closing_leaves_no_process_and_the_next_run_starts_afresh(worker):
    worker.run(job("pass"))
    running = processes_of(worker)
    assert len(running) >= 2
    worker.close()
    wait_for(lambda: not alive(running))
    worker.close()  # once more is no error


@pytest.mark.parametrize(
    "inside", [Inside({"x": Path("/nowhere")}), Inside(preload=("import nowhere",))], ids=["folder", "cell"]
)
def test_a_sandbox_that_does_not_start_says_what_it_said(inside):
    with Worker(inside) as result, pytest.raises(SandboxFailed, match="nowhere"):
        result.run(job("pass"))


def test_what_is_inside_is_there_and_what_is_covered_is_not():
    beside = Path(filelock.__file__).parent  # which nothing inside has a use for
    assert list(beside.iterdir())
    inside = Inside(
        {"here": Path(__file__).parent},
        (beside,),
        {"A": "b"},
        preload=("import os\nos.environ['PRELOADED'] = 'c'\nname = 1",),
    )
    code = f"import os\nos.listdir('/course/here') != [], os.listdir('{beside}'), os.environ['A']"
    with Worker(inside) as result:
        ran = result.run(job(f"{code}, os.environ['PRELOADED'], 'name' in globals(), In[1][:2]"))
    output = ran.cells["cell-1"][1][0]
    assert output["data"]["text/plain"] == "(True, [], 'b', 'c', False, 'im')"


def test_a_run_that_could_not_begin_is_our_fault():
    none = replace(LIMITS, cpu_seconds="none")
    with Worker(Inside()) as result, pytest.raises(SandboxFailed, match="shut a notebook in"):
        result.run(job("pass", limits=none))


def test_what_is_said_of_cells_that_are_not_in_the_notebook_is_not_taken(worker):
    code = f"{PIPE}import struct\nos.write(pipe, struct.pack('>cI', b'S', 8) + b'<script>')\nos._exit(1)"
    ran = worker.run(job("1", code))
    assert (ran.how, ran.cell) == ("garbled", "cell-2")


SHOW = "from IPython.display import display\n"
MANY_PARTS = "display({'application/json': [[]] * 120_000}, raw=True)"
LARGE = "display({'text/html': chr(0x1F600) + 'x' * 45_000_000}, raw=True)"
MANY = "for number in range(600):\n    display({'text/html': str(number)}, raw=True)"
NO_JSON = "display({'application/json': {1, 2}}, raw=True)"
# What is left out of what a cell shows, and how much of it.
TOO_MUCH = {
    "a display of 45 MB": (LARGE, 1),
    "many displays": (MANY, 100),
    "many parts": (MANY_PARTS, 1),
    "what is no JSON": (NO_JSON, 1),
    "pictures": ("for _ in range(50):\n    display({'image/png': 'A' * 100_000}, raw=True)", 9),
    "an update that grows": (
        "handle = display('a', display_id=True)\nhandle.update({'text/plain': 'x' * 5_000_000}, raw=True)",
        1,
    ),
}


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_what_is_too_much_to_keep_is_left_out_with_a_line_in_its_place(worker, kind):
    code, number = TOO_MUCH[kind]
    ran = worker.run(job("1", SHOW + code + "\nprint('end')", "2", limits=Limits()))
    assert ran.how == "finished"
    (left_out,) = [
        output["data"][LEFT_OUT_MIME]
        for output in ran.cells["cell-2"][1]
        if LEFT_OUT_MIME in output.get("data", {})
    ]
    assert left_out == number
    assert [output["text"] for output in ran.cells["cell-2"][1] if "text" in output] == ["end\n"]
    assert [output["output_type"] for output in ran.cells["cell-3"][1]] == ["execute_result"]


def test_what_is_cleared_or_updated_takes_no_room(worker):
    frame = "{'image/png': 'A' * 1_000_000}, raw=True"
    loop = "for _ in range(30):\n    clear_output(wait=True)\n"
    cleared = f"from IPython.display import clear_output\n{loop}    display({frame})"
    updated = f"handle = display({frame}, display_id=True)\nfor _ in range(30):\n    handle.update({frame})"
    ran = worker.run(job(SHOW + cleared, updated))
    assert [len(outputs[0]["data"]["image/png"]) for _, outputs in ran.cells.values()] == [1_000_000] * 2


def test_evidence_is_kept_however_much_was_shown_before(worker):
    shown = SHOW + MANY.replace("600", "3_000").replace("str(number)", "'x' * 20_000")
    evidence = f"\ndisplay({{{EVIDENCE_MIME!r}: 'the evidence'}}, raw=True)"
    ran = worker.run(job(shown, shown + evidence, limits=Limits()))
    assert [item["data"].get(EVIDENCE_MIME) for item in ran.cells["cell-2"][1]][-1] == "the evidence"


# What a stranger's process may send that ours never would.
SEND = PIPE + (
    "import struct\n"
    "def send(text, kind=b'C'):\n"
    "    whole = struct.pack('>cI', kind, len(text)) + text\n"
    "    while whole:\n        whole = whole[os.write(pipe, whole):]\n"
    "def cell(*outputs):\n"
    '    send(b\'{"id": "cell-1", "count": 1, "outputs": [\' + b", ".join(outputs) + b"]}")\n'
    'stream = b\'{"output_type": "stream", "name": "stdout", "text": "%s"}\'\n'
)
LIES = {
    "many parts": ("send(b'[' + b'[],' * 400_000 + b'0]')", len(sandbox_client.TOO_INTRICATE)),
    "many outputs": ("cell(*[stream % b'x'] * 9_000)", 2_500),
    "many large texts": ("cell(*[stream % (b'x' * 2**20)] * 9)", 4 * 2**20),
    "a large text": ("cell(stream % (b'\\\\ud83d\\\\ude00' + b'x' * 9_000_000))", 0),
}


@pytest.mark.parametrize("kind", LIES)
def test_of_what_a_stranger_sends_only_so_much_is_taken(worker, kind):
    code, most = LIES[kind]
    ran = worker.run(job(SEND + code + "\nos._exit(0)", limits=Limits()))
    assert len("".join(output["text"] for output in ran.cells["cell-1"][1])) == most
    assert_next_is_as_alone(worker)


def test_a_message_that_is_too_long_ends_the_run(worker):
    ran = worker.run(job("1", SEND + "send(b'x' * 13_000_000)", limits=Limits()))
    assert (ran.how, ran.cell) == ("output", "cell-2")
