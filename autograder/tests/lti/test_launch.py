"""Who comes from the platform gets in; whatever is forged, brought again, too old or another's does not."""

from __future__ import annotations

import json
import logging
import random
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

import jwt  # noqa: E402
import requests  # noqa: E402
from autograder.lti import web_app  # noqa: E402
from autograder.lti.course_store import open_store  # noqa: E402
from autograder.lti.launch import KeySets, Rejected, is_role  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import padding  # noqa: E402
from cryptography.hazmat.primitives.hashes import SHA256  # noqa: E402
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: E402
from support.class_course import FULL, LESSON, OTHER  # noqa: E402
from support.lti_class import TEACHER, Browser  # noqa: E402
from support.lti_platform import CLAIM, KEYS, b64, jwk, sealed, signed, unb64  # noqa: E402


@pytest.fixture
def refusals(caplog):
    """What the log says of those who were refused, one line each."""
    caplog.set_level(logging.INFO)

    def reported() -> list[str]:
        assert [item.getMessage() for item in caplog.records if item.exc_info] == []
        return [item.getMessage() for item in caplog.records if item.levelno >= logging.WARNING]

    return reported


def test_a_learner_comes_to_the_lesson_and_a_teacher_reads_what_the_platform_offers(browser, folder, home):
    page = browser.launches("u1", LESSON)
    assert page.status_code == 200
    assert f'href="https://hub.uni.example/lab/tree/{LESSON}.ipynb"' in page.text
    assert "--lti" not in page.text
    page = browser.launches("t1", **TEACHER)
    assert OTHER in page.text
    assert "autograder roster --lti" in page.text
    with open_store(folder) as memory:
        (place,) = memory.contexts()
    assert (place.context, place.memberships) == (home.course, f"{home.issuer}/memberships")
    assert home.errors == []


def test_a_page_speaks_the_browsers_language(browser):
    browser.session.headers["Accept-Language"] = "fr, bn-BD;q=0.9"
    assert '<html lang="bn">' in browser.brings({}).text


def test_a_teacher_chooses_a_lesson_once_and_the_platform_gets_a_link_with_a_column(browser, home):
    page = browser.launches("t1", deep=True, **TEACHER)
    key = page.text.partition('name="key" value="')[2].partition('"')[0]
    form = browser.session.post(f"{browser.tool}/choose", {"key": key, "lesson": LESSON})
    assert f'action="{home.issuer}/linked"' in form.text
    token = form.text.partition('name="JWT" value="')[2].partition('"')[0]
    assert requests.post(f"{home.issuer}/linked", {"JWT": token}).text == "linked"
    (item,) = home.linked
    assert (item["type"], item["custom"]) == ("ltiResourceLink", {"lesson": LESSON})
    assert item["url"] == f"{home.tool}/launch"
    assert item["window"] == {"targetName": "_blank"}  # which the platform accepts
    assert item["lineItem"] == {"scoreMaximum": FULL, "label": LESSON, "resourceId": LESSON, "tag": LESSON}
    again = browser.session.post(f"{browser.tool}/choose", {"key": key, "lesson": LESSON})
    assert again.status_code == 403
    assert home.errors == []


def unsigned(claims: dict[str, Any]) -> str:
    return ".".join((b64(b'{"alg":"none","kid":"key-1"}'), b64(json.dumps(claims).encode()), ""))


def by_public_key(claims: dict[str, Any]) -> str:
    """Signed by HMAC with what everybody knows, the platform's public key, as PEM."""
    import hashlib
    import hmac

    pem = KEYS[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    output = ".".join((b64(b'{"alg":"HS256","typ":"JWT","kid":"key-1"}'), b64(json.dumps(claims).encode())))
    return f"{output}.{b64(hmac.new(pem, output.encode(), hashlib.sha256).digest())}"


def good(claims: dict[str, Any]) -> str:
    return signed(claims, KEYS[0], "key-1")


now = time.time
# What is changed in a good message, and how it is signed; what is said of it.
BAD = {
    "forged": ({}, lambda claims: signed(claims, KEYS[1], "key-1"), "signature is not the platform's"),
    "unknown key": ({}, lambda claims: signed(claims, KEYS[1], "key-2"), "does not publish"),
    "no key named": ({}, lambda claims: signed(claims, KEYS[0], ""), "does not publish"),
    "alg none": ({}, unsigned, "not signed by RS256"),
    "HS256 with the public key": ({}, by_public_key, "not signed by RS256"),
    "its own key": ({}, lambda claims: signed(claims, KEYS[1], "a", jwk=jwk(KEYS[1], "a")), "not publish"),
    "a key's address in its head": (
        {},
        lambda claims: signed(claims, KEYS[1], "mine", jku="https://evil.example/jwks", x5u="https://evil.example"),
        "does not publish",
    ),
    "not yet": ({"nbf": now() + 3600}, good, "does not count yet"),
    "no deployment": ({f"{CLAIM}deployment_id": None}, good, "deployment is not named"),
    "expired": ({"exp": now() - 3600}, good, "has expired"),
    "without an end": ({"exp": None}, good, "lacks something"),
    "expired, another login's": (
        {"iat": now() - 7200, "exp": now() - 3600, "nonce": "n" * 32}, good, "has expired"
    ),
    "from the future": ({"iat": now() + 3600}, good, "seconds behind the platform's"),
    "all of it in the future": ({"iat": now() + 3600, "nbf": now() + 3600}, good, "seconds behind the"),
    "in thousandths": ({"iat": now() * 1000}, good, "lacks something"),
    "another audience": ({"aud": "client-2"}, good, "for another tool"),
    "several audiences, for another": ({"aud": ["client-1", "client-2"]}, good, "for another tool"),
    "meant for another": ({"azp": "client-2"}, good, "for another tool"),
    "another issuer": ({"iss": "https://other.example"}, good, "another platform's"),
    "another login's nonce": ({"nonce": "n" * 32}, good, "brought before, or belongs"),
    "another deployment": ({f"{CLAIM}deployment_id": "deployment-2"}, good, "deployment is not named"),
    "another course": ({f"{CLAIM}context": {"id": "<b>\n2"}}, good, "id <b>\N{REPLACEMENT CHARACTER}2"),
    "another version": ({f"{CLAIM}version": "1.1"}, good, "none that this tool knows"),
    "another kind": ({f"{CLAIM}message_type": "DataPrivacyLaunchRequest"}, good, "none that this tool knows"),
    "roles that are none": ({f"{CLAIM}roles": [7]}, good, "lacks something"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_message_is_refused_with_one_line_and_a_plain_page(browser, home, refusals, name):
    changes, signing, why = BAD[name]
    state, nonce = browser.nonce()
    claims = {**home.claims("u1", nonce), **changes}
    claims = {key: value for key, value in claims.items() if value is not None}
    page = browser.brings({"state": state, "id_token": signing(claims)})
    assert page.status_code == 403
    assert ("This did not work" in page.text, "<b>" in page.text) == (True, False)
    (line,) = refusals()
    assert line.startswith("refused at /launch: ")
    assert why in line


def test_what_a_message_says_of_another_address_is_not_followed(browser, home):
    state, nonce = browser.nonce()
    claims = {**home.claims("u1", nonce, LESSON), f"{CLAIM}target_link_uri": "https://evil.example/launch"}
    page = browser.brings({"state": state, "id_token": good(claims)})
    assert (page.status_code, page.history, "evil" in page.text) == (200, [], False)


def test_one_audience_of_several_is_taken_where_it_is_meant(browser, home):
    state, nonce = browser.nonce()
    claims = {**home.claims("u1", nonce), "aud": ["client-1", "client-2"], "azp": "client-1"}
    assert browser.brings({"state": state, "id_token": good(claims)}).status_code == 200


def test_nothing_is_brought_twice_or_by_another_browser_or_to_another_login(browser, home, refusals):
    brought = browser.comes("u1")
    assert browser.brings(brought).status_code == 200
    assert browser.brings(brought).status_code == 403
    assert Browser(home, browser.tool).brings(browser.comes("u1")).status_code == 403
    other = browser.comes("u1")
    mixed = {"state": browser.comes("u1")["state"], "id_token": other["id_token"]}
    assert browser.brings(mixed).status_code == 403
    forged = jwt.encode({"exp": now() + 100, "iss": home.issuer}, "x" * 32, "HS256")
    assert browser.brings({**other, "state": forged}).status_code == 403
    assert [line.partition(": ")[2] for line in refusals()] == [
        "it was brought before, or belongs to another login",
        "the browser did not bring back the cookie of its login",
        "it was brought before, or belongs to another login",
        "its login did not begin here, or before a restart",
    ]


def test_a_key_that_the_platform_revoked_is_not_believed_for_long_and_a_new_one_is_fetched():
    published = {"keys": [jwk(KEYS[0], "key-1")]}
    asked, seconds = [], [0.0]
    sets = KeySets(lambda address: asked.append(address) or dict(published), lambda: seconds[0])
    sets.key("keys", "key-1")
    published["keys"] = [jwk(KEYS[1], "key-2")]
    with pytest.raises(Rejected, match="does not publish"):
        sets.key("keys", "key-2")  # whoever invents keys does not have the platform asked each time
    assert len(asked) == 1
    seconds[0] = 30.0
    sets.key("keys", "key-2")
    with pytest.raises(Rejected, match="does not publish"):
        sets.key("keys", "key-1")
    published["keys"], before = [], len(asked)
    seconds[0] = 400.0
    for _ in range(2):  # nor does whoever brings many tokens while it is away
        with pytest.raises(Rejected, match="cannot be read"):
            sets.key("keys", "key-2")
    assert len(asked) == before + 1
    published["keys"] = [jwk(KEYS[1], "key-2")]
    seconds[0] = 430.0
    sets.key("keys", "key-2")


BAD_LOGINS = {
    "a stranger": {"iss": "https://other.example"},
    "another client": {"client_id": "client-2"},
    "another deployment": {"lti_deployment_id": "deployment-2"},
    "nobody": {"login_hint": ""},
}


@pytest.mark.parametrize("name", BAD_LOGINS)
def test_a_login_of_a_platform_that_is_not_registered_leads_nowhere(browser, home, refusals, name):
    asked = {**home.opens("u1"), **BAD_LOGINS[name]}
    answer = browser.session.get(f"{browser.tool}/login", params=asked, allow_redirects=False)
    assert answer.status_code == 403
    assert len(refusals()) == 1


def test_only_a_teacher_chooses_lessons_and_the_answer_goes_to_the_web(browser, home, refusals):
    assert browser.launches("u1", deep=True).status_code == 403
    settings = {"accept_types": ["ltiResourceLink"], "accept_presentation_document_targets": ["window"]}
    bad = {**settings, "deep_link_return_url": "javascript:alert(1)"}
    where = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
    assert browser.launches("t1", deep=True, **TEACHER, **{where: bad}).status_code == 403
    assert len(refusals()) == 2


def mutated(dice: random.Random, token: str, claims: dict[str, Any]) -> str:
    """A token with something else in it: letters, parts, or claims that are signed well."""
    kind = dice.randrange(7)
    parts = token.split(".")
    if kind == 0:  # letters
        letters = list(token)
        for _ in range(dice.choice((1, 3, 30))):
            letters[dice.randrange(len(letters))] = dice.choice("aZ0-_.=+ \x00é\u202e")
        return "".join(letters)
    if kind == 1:  # cut, doubled, turned
        cut = dice.randrange(len(token))
        return dice.choice(
            (token[:cut], token[cut:], token * 2, token[::-1], ".".join(parts[::-1]), ".." * cut)
        )
    if kind == 2:  # bytes of one part
        position = dice.randrange(3)
        content = bytearray(unb64(parts[position]))
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        return ".".join([*parts[:position], b64(bytes(content)), *parts[position + 1 :]])
    deep = b"[" * 20_000
    if kind == 3:  # another head
        junk = dice.choice(
            (None, [], {}, "", "x" * 5000, 7, True, {"alg": "RS256"}, "../key", "none", "HS256")
        )
        name = dice.choice(("alg", "kid", "crit", "jku", "b64", "typ", "zip"))
        head = json.dumps(dice.choice(({"alg": "RS256", "kid": "key-1", name: junk}, junk))).encode()
        return sealed(dice.choice((head, head, head, deep)), json.dumps(claims).encode(), KEYS[0])
    if kind == 4:  # a body that is no mapping, or not JSON; the platform itself signs it
        body = json.dumps(claims).encode()
        large = [
            body.replace(b'"exp": ', b'"exp": ' + more) for more in (b"9" * 400, b"9" * 5000, b'1e999, "x": ')
        ]
        body = dice.choice((b"[]", b"7", b'"x"', b"{", b"\xff\xfe", b"null", deep, *large))
        return sealed(b'{"alg":"RS256","kid":"key-1"}', body, KEYS[0])
    output = json.loads(json.dumps(claims))  # what the platform itself might say
    name = dice.choice([*output])
    junk = dice.choice(
        (None, [], {}, "", "x" * 5000, 7, -1, 1e308, True, [[]], {"id": {}}, ["a", 1], "\ud800", inf)
    )
    if kind == 5 and isinstance(output[name], dict):
        output[name][dice.choice([*output[name]])] = junk
    else:
        output[name] = junk
    return good(output)


@pytest.mark.slow
def test_no_changed_token_leaves_a_traceback_or_more_than_a_line(browser, home, refusals):
    dice = random.Random(34)
    let_in = 0
    tries = 400
    for number in range(tries):
        state, nonce = browser.nonce()
        claims = home.claims("u1", nonce, deep=number % 2 == 0, roles=("Instructor",))
        token = mutated(dice, good(claims), claims)
        page = browser.brings({"state": state, "id_token": token})
        assert page.status_code in (200, 403), (number, token[:2000])
        if page.status_code == 200:  # what the platform itself said, and what does not matter to this tool
            output, _, signature = token.rpartition(".")
            KEYS[0].public_key().verify(unb64(signature), output.encode(), padding.PKCS1v15(), SHA256())
            let_in += 1
    lines = refusals()
    assert len(lines) == tries - let_in
    assert all("\n" not in line and "Traceback" not in line for line in lines)
    assert 0 < let_in < tries / 4


def test_a_cookie_that_is_none_of_ours_is_replaced(browser, home):
    theirs = {"Cookie": 'autograder-lti="a\\015\\012Set-Cookie: b=c"'}
    answer = requests.post(f"{browser.tool}/login", home.opens("u1"), headers=theirs, allow_redirects=False)
    assert answer.status_code == 302
    assert [*answer.cookies.keys()] == ["autograder-lti"]
    assert len(answer.cookies["autograder-lti"]) == 32


def test_what_is_no_form_or_too_long_is_refused(browser, refusals, monkeypatch):
    for body in (b"x" * 200_000, b"&".join(b"a=1" for _ in range(100)), b"\xff\xfe"):
        assert browser.session.post(f"{browser.tool}/launch", data=body).status_code == 403
    monkeypatch.setattr(web_app, "BODY_TIME", 0.01)
    at = urlsplit(browser.tool)
    for leaves in (False, True):  # who stops on the way, and who goes away
        with socket.create_connection((at.hostname, at.port)) as sock:
            sock.sendall(b"POST /launch HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nstate=")
            assert leaves or sock.recv(1000).startswith(b"HTTP/1.1 403")
    assert browser.session.get(f"{browser.tool}/launch").status_code == 405
    assert browser.session.get(f"{browser.tool}/etc").status_code == 404
    assert refusals() == ["refused at /launch: it is no form, or too long a one"] * 5


@pytest.mark.parametrize(("lag", "kind"), [(900, "behind"), (-900, "ahead of")])
def test_a_clock_that_differs_is_named_with_the_seconds_and_one_minute_is_forgiven(
    browser, home, refusals, lag, kind
):
    def brought(lag: int) -> requests.Response:
        state, nonce = browser.nonce()
        claims = home.claims("u1", nonce, LESSON)
        moved = {name: claims[name] + lag for name in ("iat", "exp")} | {"nonce": nonce}
        moved["exp"] = min(moved["exp"], moved["iat"] + 300)
        return browser.brings({"state": state, "id_token": good({**claims, **moved})})

    assert brought(lag // 20).status_code == 200
    page = brought(lag)
    (line,) = refusals()
    seconds = int(re.search(rf"this server's clock is (\d+) seconds {kind} the platform's", line)[1])
    assert abs(seconds - abs(lag)) < 60
    assert str(seconds) in page.text


SUB = "http://purl.imsglobal.org/vocab/lis/v2/membership"
INSTITUTION = "http://purl.imsglobal.org/vocab/lis/v2/institution/person"


@pytest.mark.parametrize(
    ("role", "teaches"),
    [
        ("Instructor", True),
        (f"{SUB}#Instructor", True),
        (f"{SUB}#ContentDeveloper", True),
        (f"{SUB}/Instructor#TeachingAssistant", True),
        (f"{SUB}/ContentDeveloper#Librarian", True),
        (f"{SUB}#InstructorOfNothing", False),
        (f"{SUB}#Instructor2", False),
        (f"{SUB}2#Instructor", False),
        (f"{SUB}/Learner#Instructor", False),  # a teacher who learns here
        (f"{SUB}/Mentor#Instructor", False),
        (f"{SUB}/Instructor#Janitor", False),
        (f"{SUB}/Instructor", False),
        (f"{SUB}#instructor", False),
        (f"{SUB}#Instructor#", False),
        (f"{SUB}#Learner", False),
        (f"{INSTITUTION}#Instructor", False),  # of somewhere else in the institution
        (f"{INSTITUTION}#Administrator", False),
        ("Instructors", False),
        ("", False),
    ],
)
def test_a_role_counts_where_it_is_the_role(role, teaches):
    assert (is_role(role, "Instructor") or is_role(role, "ContentDeveloper")) is teaches


def test_a_role_that_only_begins_like_a_teachers_chooses_no_lesson(browser, refusals):
    for role in (f"{SUB}2#Instructor", f"{SUB}/Learner#Instructor"):
        assert browser.launches("u1", deep=True, **{f"{CLAIM}roles": [role]}).status_code == 403
    assert {line.partition(": ")[2] for line in refusals()} == {"only a teacher chooses lessons"}


def test_a_platform_that_is_slow_is_asked_once_for_its_keys():
    asked, ready = [], threading.Event()

    def slow(address: str) -> dict[str, Any]:
        asked.append(address)
        ready.wait(60)
        return {"keys": [jwk(KEYS[0], "key-1")]}

    sets = KeySets(slow)
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(sets.key, "keys", "key-1") for _ in range(8)]
        while not asked:
            pass
        ready.set()
        assert all(item.result() for item in waiting)
    assert len(asked) == 1
