"""The bounds of one run: what they are, and that the kernel holds a process to them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, asdict

import pytest

from autograder.grading.running.confine import tree_use
from autograder.grading.running.limits import MEBIBYTE, Limits

HELD = """
import json, resource
from autograder.grading.running.confine import set_limits
from autograder.grading.running.limits import Limits
set_limits(Limits(cpu_seconds=7, open_files=20, disk_bytes=1000, memory_bytes=64 * 2**20))
names = ("CPU", "NOFILE", "FSIZE", "CORE")
print(json.dumps({name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}))
try:
    bytearray(200 * 2**20)
except MemoryError:
    print("no memory")
"""


def test_limits_go_to_the_sandbox_as_plain_numbers_and_come_back_the_same():
    limits = Limits(cell_seconds=1.5, memory_bytes=100 * MEBIBYTE)
    assert Limits(**json.loads(json.dumps(asdict(limits)))) == limits


def test_every_limit_bounds_something():
    assert all(value > 0 for value in asdict(Limits()).values())
    assert Limits().cell_seconds < Limits().seconds


def test_limits_cannot_be_changed_on_the_way():
    with pytest.raises(FrozenInstanceError):
        Limits().processes = 1000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's limits are Linux's")
def test_the_kernel_holds_a_process_to_its_limits():
    said = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True).stdout
    held, memory = said.splitlines()
    assert json.loads(held) == {"CPU": [7, 7], "NOFILE": [20, 20], "FSIZE": [1000, 1000], "CORE": [0, 0]}
    assert memory == "no memory"


def test_a_tree_of_processes_is_counted_without_its_first(tmp_path):
    for number, statm in (("1", "900 900 0"), ("7", "500 300 100 0"), ("8", "500 30 10 0")):
        (tmp_path / number).mkdir()
        (tmp_path / number / "statm").write_text(statm)
    (tmp_path / "9").mkdir()  # it has ended since it was listed
    (tmp_path / "meminfo").write_text("")
    count, held = tree_use(tmp_path)
    assert count == 3
    assert held % 220 == 0
    assert held > 0
