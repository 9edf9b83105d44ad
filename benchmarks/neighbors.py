"""Submissions that try to take a neighbor's points, time or memory, or do so by accident.

`random_classes.py` puts them among honest ones, with those of `tests/attacks/answers.py`. What they earn
themselves does not matter there; what the others get must not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nbformat import NotebookNode

from tests.attacks.answers import added, inside, sends

# What an ordinary student may well do, with right answers beside it.
DISPLAYS = {
    "an-animation-with-an-emoji": (
        "from IPython.display import HTML\nHTML('\\N{GRINNING FACE}' + 'x' * 45_000_000)"
    ),
    "emojis-only": "print('\\N{GRINNING FACE}' * 12_000_000)",
    "twelve-pictures-of-5-MB": (
        "import base64\nfrom IPython.display import display\n"
        "picture = base64.b64encode(bytes(5_000_000)).decode()\n"
        "for _ in range(12):\n    display({'image/png': picture}, raw=True)"
    ),
    "prints-on-and-on": "for step in range(15_000):\n    print('step', step, torch.rand(3))",
    "updates-one-display": (
        "from IPython.display import display\nhandle = display('0', display_id=True)\n"
        "for step in range(20_000):\n    handle.update(str(step) * 20)"
    ),
    "a-long-message-in-an-error": "raise ValueError('\\N{GRINNING FACE}' * 15_000_000)",
    "a-deep-table": (
        "from IPython.display import display\ndeep = []\nfor _ in range(900):\n    deep = [deep, 1]\n"
        "display({'application/json': deep}, raw=True)"
    ),
    "wide-metadata": (
        "from IPython.display import display\n"
        "display({'text/plain': 'x'}, raw=True, metadata={f'key {n}': {} for n in range(150_000)})"
    ),
    "odd-characters": "print('\\ud83d', '\\x00', '\\x1b[2J', '\\u2028', '\\uffff')",
    "numbers-that-are-none": (
        "from IPython.display import display\n"
        "display({'application/json': {'x': float('nan'), 'y': 10 ** 4000}}, raw=True)"
    ),
}

FRAMES = {
    "ends-the-run-itself": sends('send(b\'E\', b\'{"how": "finished", "seconds": 0, "held_up": false}\')'),
    "announces-4-GB": sends(
        "for descriptor in range(3, 64):\n    try:\n"
        "        os.write(descriptor, struct.pack('>cI', b'C', 2**32 - 1) + b'x' * 4096)\n"
        "    except OSError:\n        pass"
    ),
    "half-a-message": sends(
        "for descriptor in range(3, 64):\n    try:\n"
        "        os.write(descriptor, struct.pack('>cI', b'C', 1000) + b'{\"id\"')\n"
        "    except OSError:\n        pass\nos._exit(0)"
    ),
    "noise": sends(
        "for descriptor in range(3, 64):\n    try:\n        os.write(descriptor, os.urandom(60_000))\n"
        "    except OSError:\n        pass"
    ),
    "a-message-of-emojis": sends(
        "send(b'C', json.dumps({'id': 'setup', 'count': 1, 'outputs': [{'output_type': 'stream', 'name': "
        "'stdout', 'text': '\\N{GRINNING FACE}' + 'x' * 60_000_000}]}, ensure_ascii=False).encode())"
    ),
    "every-cell-a-hundred-times": sends(
        "for number in range(100):\n"
        "    send(b'C', json.dumps({'id': 'all-scores', 'count': number, 'outputs': [[]] * 1000}).encode())"
    ),
    "another-is-ready": sends("send(b'R', b'')\nsend(b'J', b'{}')\nsend(b'S', b'all-contexts')"),
}

PROCESSES = {
    "stops-itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "a-child-keeps-the-pipes": "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nos._exit(0)",
    "aborts": "import os\nos.abort()",
    "reads-address-0": "import ctypes\nctypes.string_at(0)",
    "falls-through-the-stack": (
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef fall(n):\n    return fall(n + 1)\nfall(0)"
    ),
    "nearly-all-memory": "held = bytearray(480 * 2**20)\nheld[::4096] = b'1' * len(held[::4096])\ndel held",
    "threads-that-never-end": (
        "import threading\ndef spin():\n    while True:\n        pass\n"
        "for _ in range(4):\n    threading.Thread(target=spin, daemon=True).start()"
    ),
    "interrupts-itself": (
        "import signal\ndef again(*_):\n    raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGALRM, again)\nsignal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)"
    ),
    "cannot-be-collected": (
        "class Stays:\n    def __del__(self):\n        while True:\n            pass\nStays()"
    ),
    "closes-everything": "import os\nos.closerange(0, 256)",
    "no-files-any-more": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))",
    "fills-its-folders": (
        "for folder in ('/tmp', '/dev/shm'):\n    try:\n"
        "        with open(folder + '/full', 'wb') as file:\n"
        "            while True:\n                file.write(bytes(2**20))\n"
        "    except OSError:\n        pass"
    ),
}

ANSWERS = {
    "dot-never-ends": "def dot(a, b):\n    while True:\n        pass",
    "dot-takes-two-seconds": "import time\ndef dot(a, b):\n    time.sleep(2)\n    return (a * b).sum()",
    "dot-cannot-be-interrupted": (
        "def dot(a, b):\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass"
    ),
    "check-is-a-number": "check = 3\ndef dot(a, b):\n    return (a * b).sum()",
}

# By name, what is done to a copy of the first lesson's release.
NEIGHBORS: Mapping[str, Callable[[NotebookNode], NotebookNode | str | None]] = {
    **{name: added(code) for name, code in {**DISPLAYS, **FRAMES, **PROCESSES}.items()},
    **{name: inside(code) for name, code in ANSWERS.items()},
}
