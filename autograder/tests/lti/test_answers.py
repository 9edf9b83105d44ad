"""What a platform answers that is no answer of a platform is refused in one sentence, whatever it is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

from autograder.classroom.class_roster import Roster  # noqa: E402
from autograder.classroom.score_export import Scores  # noqa: E402
from autograder.lti.course_store import PlatformContext, open_store  # noqa: E402
from autograder.lti.launch import KeySets, Rejected  # noqa: E402
from autograder.lti.roster_service import placed, pull  # noqa: E402
from autograder.lti.score_sender import GradebookColumns  # noqa: E402
from autograder.records.authoring_errors import UserError  # noqa: E402
from support.lti_class import member  # noqa: E402
from support.lti_platform import KEYS, SCOPES, jwk  # noqa: E402

TRIES = 500
HOME = "http://localhost"
PLACE = PlatformContext(
    HOME, "client", "1", "course", "", f"{HOME}/people", f"{HOME}/columns", " ".join(SCOPES)
)
KNOWN = Scores((), ("01-one",), {"01-one": 10.0}, {}, {}, {}, (), ())
COLUMN = {"id": f"{HOME}/columns/1", "label": "one", "resourceId": "01-one", "scoreMaximum": 10}
SYMMETRIC = {"kty": "oct", "kid": "key-2", "k": "AAAA"}
JUNK = (
    *(None, [], {}, "", "x" * 5000, 7, -1, 1e308, float("inf"), True, [[]], {"id": {}}),
    *("\ud800", "http://a.b"),
)


def changed(dice: random.Random, output: Any) -> Any:
    """The same with something else, more or less in it."""
    if dice.random() < 0.08:
        return dice.choice(JUNK)
    if isinstance(output, dict):
        return {name: changed(dice, value) for name, value in output.items() if dice.random() > 0.05}
    if isinstance(output, list):
        return [*(changed(dice, item) for item in output), *dice.choices(JUNK, k=dice.random() < 0.1)]
    return output


class Answering:
    """A connection on which one body comes, whatever is asked."""

    def __init__(self, body: object) -> None:
        self.body = body

    def make_service_request(self, *_: object, **__: object) -> dict[str, object]:
        return {"headers": {}, "body": self.body, "next_page_url": None}


def keys(body: Any, dice: random.Random) -> None:
    KeySets(lambda _: body).key("keys", dice.choice(("key-1", "key-2", "")))


def people(body: Any, _dice: random.Random) -> None:
    placed(pull(Answering(body), PLACE).students, Roster([]), {})


def columns(body: Any, dice: random.Random, memory: Any) -> None:
    column = GradebookColumns(Answering(body), PLACE, memory).column(
        KNOWN, "01-one", *dice.choices((True, False), k=2)
    )
    json.dumps((column.most, column.factor), allow_nan=False)
    assert column.address.partition("/columns")[0] in (HOME, "")


@pytest.mark.parametrize("asked", ["keys", "people", "columns", "a column"])
def test_no_changed_answer_of_a_platform_leaves_a_traceback(tmp_path, asked):
    whole: dict[str, tuple[Any, Callable[..., None]]] = {
        "keys": ({"keys": [jwk(KEYS[0], "key-1"), SYMMETRIC]}, keys),
        "people": ({"id": HOME, "members": [member(number) for number in range(3)]}, people),
        "columns": ([{**COLUMN, "resourceId": "other"}, COLUMN], columns),
        "a column": (COLUMN, columns),
    }
    body, ask = whole[asked]
    dice = random.Random(34)
    taken = 0
    with open_store(tmp_path) as memory:
        if asked == "a column":
            memory.keep(PLACE, "01-one", f"{HOME}/columns/1", decides=True)
        more = (memory,) if ask is columns else ()
        for _ in range(TRIES):
            output = changed(dice, body)
            with suppress(UserError, Rejected):
                ask(output, dice, *more)
                taken += 1
    assert 0 < taken < TRIES
