"""What the course collects in a learner's own package, and the program that runs with it."""

import importlib
import shutil
import sys
from html import unescape
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
import torch
from autograder.records.course import Course

from visuals.checkpoint import decode, encode
from visuals.checkpoint.train import trained

ROOT = Path(__file__).resolve().parents[1]
COURSE = Course.read(ROOT)
LESSON_OF = COURSE.lesson_of()


def names_in(module):
    return [COURSE.load(LESSON_OF[task]).tasks[task].name for task in COURSE.mine[module]]


def test_every_lesson_from_02_on_gives_something_but_the_capstone():
    lessons = {LESSON_OF[task] for tasks in COURSE.mine.values() for task in tasks}
    assert lessons == set(COURSE.lessons[1:]) - {COURSE.capstone}


def test_a_module_has_each_name_once_and_no_tensor():
    for module in COURSE.mine:
        assert len(set(names_in(module))) == len(names_in(module))
        kinds = {COURSE.load(LESSON_OF[task]).tasks[task].kind for task in COURSE.mine[module]}
        assert kinds <= {"function", "module", "class"}


def test_modules_come_in_the_order_of_the_lessons():
    first = [min(COURSE.lessons.index(LESSON_OF[task]) for task in tasks) for tasks in COURSE.mine.values()]
    assert first == sorted(first)


# A part of the learner's own, so that the program has both kinds.
OWN = """
import torch
def packed_attention(q, k, v, cu_queries, cu_keys):
    contexts = []
    for a, b, c, d in zip(cu_queries, cu_queries[1:], cu_keys, cu_keys[1:]):
        scores = q[:, a:b] @ k[:, c:d].transpose(1, 2) / q.shape[-1] ** 0.5
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(d - c - (b - a) + 1)
        contexts.append(scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v[:, c:d])
    return torch.cat(contexts, dim=1)
"""


@pytest.fixture
def address(tmp_path, monkeypatch):
    """Where `mine.serve` answers, with one part that is the learner's own."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text(OWN)
    shutil.copy(ROOT / COURSE.adds.mine, tmp_path / "mine")
    (tmp_path / "solutions").symlink_to(ROOT / "solutions")
    monkeypatch.syspath_prepend(tmp_path)
    serve = importlib.import_module("mine.serve")
    with serve.Server(0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
    for name in ("mine", "mine.serve"):
        del sys.modules[name]


def asked(address, form=None, host=""):
    data = urlencode(form).encode() if form else None
    with urlopen(Request(address, data, {"Host": host} if host else {}), timeout=100) as answer:
        return answer.read().decode()


def greedy(text, count):
    """What the trained model writes by itself, one token after the other and without any cache."""
    model, ids = trained(), encode(text)
    with torch.no_grad():
        for _ in range(count):
            ids = torch.cat((ids, model(ids[None])[0, -1:].argmax(dim=-1)))
    return decode(ids[-count:])


def test_the_server_writes_what_the_model_does_and_says_whose_its_parts_are(address):
    texts = ["A list is a mutable ", "Return "]
    shown = unescape(asked(address, {"texts": "\n".join(texts)}))
    for text in texts:
        assert f"<pre>{text}<b>{greedy(text, 60)}</b></pre>" in shown
    assert "<p>60 steps" in shown
    assert "My own: packed_attention. Taken from the course: TinyTransformer, PagedCache," in shown


def test_the_server_answers_this_machine_alone_and_shows_what_is_typed_as_text(address):
    assert "&lt;script&gt;" in asked(address, {"texts": "<script>"})
    assert "<script>" not in asked(address, {"texts": "<script>"})
    for form, host, code in ((None, "elsewhere.example", 403), ({"texts": "x" * 30_000}, "", 413)):
        with pytest.raises(HTTPError) as refused:
            asked(address, form, host)
        assert refused.value.code == code
        refused.value.close()
