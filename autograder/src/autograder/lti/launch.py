"""Verify that a message comes from a registered platform, and read its content.

All checks are here, in the order of the specifications: LTI 1.3 and the 1EdTech security framework 1.0. PyJWT
verifies the token itself. PyLTI1p3's own launch is not used: it accepts a token without an expiry time, reads
only the first audience, and lets the set of keys choose the algorithm.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import jwt
import requests
from pylti1p3.exception import LtiException
from pylti1p3.message_validators import get_validators

from autograder.lti.course_store import PlatformContext
from autograder.lti.registrations import OnPlatform, Registrations, is_web
from autograder.words.language import LazyMessage

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
SERVICE = {
    "memberships": "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice",
    "scores": "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint",
}
SETTINGS = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership"
# The roles in a course that count here, and their kinds: LTI 1.3, A.2.2 and A.2.3. What somebody is in the
# whole institution says nothing of this course.
KINDS = {
    "Instructor": (
        *(
            "ExternalInstructor",
            "Grader",
            "GuestInstructor",
            "Lecturer",
            "PrimaryInstructor",
            "SecondaryInstructor",
        ),
        *(
            "TeachingAssistant",
            "TeachingAssistantGroup",
            "TeachingAssistantOffering",
            "TeachingAssistantSection",
        ),
        *("TeachingAssistantSectionAssociation", "TeachingAssistantTemplate"),
    ),
    "ContentDeveloper": ("ContentDeveloper", "ContentExpert", "ExternalContentExpert", "Librarian"),
    "Learner": ("ExternalLearner", "GuestLearner", "Instructor", "Learner", "NonCreditLearner"),
}
# By its whole name, or, as older platforms have it, by the simple one.
ROLES = {
    name: frozenset((name, f"{ROLE}#{name}", *(f"{ROLE}/{name}#{kind}" for kind in kinds)))
    for name, kinds in KINDS.items()
}
# The one algorithm that the security framework demands; a token does not choose.
ALGORITHM = "RS256"
# How long a person may take from the first request to the launch, and by how much two clocks may differ.
PATIENCE, LEEWAY = 300, 60
LONGEST_LAG = 10 * 365 * 86_400  # seconds by which a clock may differ; what is beyond counts in another unit
# How long a platform's keys are believed, and how soon they may be asked for again because one is not known.
BELIEVED, AGAIN = 300, 20
# What a stranger's bytes raise: PyJWT lets pass what JSON and numbers without an end do.
UNREADABLE = (jwt.PyJWTError, ArithmeticError, RecursionError, TypeError, ValueError)
LONGEST = 2_000  # letters of anything that is kept or sent on


class Rejected(Exception):
    """A message was refused. `why` is the reason, for the log and for a page in the person's language."""

    def __init__(self, why: LazyMessage) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Launched:
    """The content of a verified launch message."""

    platform: OnPlatform
    claims: Mapping[str, Any]
    place: PlatformContext
    lineitem: str  # the column of scores of the opened link; "" for none
    lesson: str  # the lesson's name in the link; "" for none
    teaches: bool

    @property
    def settings(self) -> Mapping[str, Any] | None:
        """The settings of a request to choose a lesson (deep linking); None if the message opens one."""
        return self.claims.get(SETTINGS) if self._kind == "LtiDeepLinkingRequest" else None

    @property
    def _kind(self) -> str:
        return str(self.claims[f"{CLAIM}message_type"])


class KeySets:
    """The public keys of platforms, fetched when they are needed and cached for a limited time."""

    def __init__(self, fetch: Callable[[str], Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._known: dict[str, tuple[float, jwt.PyJWKSet]] = {}
        self._failed: dict[str, float] = {}
        self._asking = threading.Lock()  # a platform is asked once, however many launches need its keys

    def key(self, address: str, kid: str) -> Any:
        """Return a platform's public key.

        Args:
            address: the address of the platform's key set.
            kid: the key's id.

        Raises:
            Rejected: the platform has no key with this id, or its keys cannot be fetched.
        """
        with self._asking:
            key_set = self._current(address, kid)
        key = _of(key_set, kid)
        if key is None:
            raise Rejected(LazyMessage("it is signed with a key that the platform does not publish"))
        return key

    def _current(self, address: str, kid: str) -> jwt.PyJWKSet:
        """Return the keys as they are believed, or as the platform publishes them now."""
        at, key_set = self._known.get(address, (float("-inf"), None))
        age = self._clock() - at
        if key_set is not None and age <= BELIEVED and (age <= AGAIN or _of(key_set, kid)):
            return key_set
        unread = Rejected(LazyMessage("the platform's keys cannot be read at {address}", address=address))
        # Whoever sends many launches while a platform is away does not keep the tool waiting for it.
        if self._clock() - self._failed.get(address, float("-inf")) < AGAIN:
            raise unread
        try:
            key_set = jwt.PyJWKSet.from_dict(self._fetch(address))
        except (requests.RequestException, AttributeError, KeyError, *UNREADABLE):
            self._failed[address] = self._clock()
            raise unread from None
        self._known[address] = self._clock(), key_set
        return key_set


def _of(key_set: jwt.PyJWKSet, kid: str) -> Any:
    keys = (
        signing_key
        for signing_key in key_set.keys
        if signing_key.key_id == kid and signing_key.key_type == "RSA"
    )
    return next(
        (signing_key.key for signing_key in keys if signing_key.public_key_use in (None, "sig")), None
    )


class LaunchVerifier:
    """Start logins at platforms, and verify the launch messages that come back.

    The tool stores nothing about a login that is not completed: its state travels through the browser, signed
    with a key of this process.
    """

    def __init__(
        self, registered: Registrations, keys: KeySets, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._registered, self._keys, self._clock = registered, keys, clock
        self._secret = secrets.token_bytes(32)
        self._used: dict[str, float] = {}  # nonces that came, until nobody can bring them again
        self._lock = threading.Lock()

    def login(self, asked: Mapping[str, str], browser: str) -> str:
        """Return the URL to which a platform's login request is redirected, with the login's signed state.

        Args:
            asked: the request's parameters.
            browser: the value of the browser's cookie. The launch is accepted only from a browser with it.

        Raises:
            Rejected: the request does not come from a registered platform.
        """
        issuer, hint = asked.get("iss", ""), asked.get("login_hint", "")
        platform = self._registered.find(issuer, asked.get("client_id", ""))
        if platform is None:
            raise Rejected(LazyMessage("this tool is not registered with the platform that it names"))
        deployment = asked.get("lti_deployment_id", "")
        if deployment and deployment not in platform.deployments:
            raise Rejected(LazyMessage("its deployment is not named in lti.toml"))
        if not hint:
            raise Rejected(LazyMessage("it says nothing of who logs in"))
        nonce = secrets.token_urlsafe(24)
        state = {
            "iss": platform.issuer,
            "client": platform.client_id,
            "nonce": nonce,
            "browser": _digest(browser),
            "begun": time.time(),
            "exp": self._clock() + PATIENCE,
        }
        wanted = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": platform.client_id,
            "redirect_uri": self._registered.at("launch"),
            "login_hint": hint,
            "state": jwt.encode(state, self._secret, "HS256"),
            "nonce": nonce,
        }
        if message := asked.get("lti_message_hint", ""):
            wanted["lti_message_hint"] = message
        return platform.login + ("&" if "?" in platform.login else "?") + urlencode(wanted)

    def launch(self, form: Mapping[str, str], browser: str) -> Launched:
        """Verify the launch message that a platform sent through a person's browser, and return its content.

        Args:
            form: the fields of the posted form: `state` and `id_token`.
            browser: the value of the browser's cookie, which must be the one at login.

        Raises:
            Rejected: the message is forged, has been used before, has expired, or is meant for another tool.
        """
        if "error" in form:
            raise Rejected(LazyMessage("the platform let nobody in"))
        state = self._state(form.get("state", ""), browser)
        platform = self._registered.find(state["iss"], state["client"])
        if platform is None:
            raise Rejected(LazyMessage("this tool is not registered with the platform that it names"))
        claims = self._claims(form.get("id_token", ""), platform, state)
        if claims["nonce"] != state["nonce"] or not self._first(state["nonce"], state["exp"]):
            raise Rejected(LazyMessage("it was brought before, or belongs to another login"))
        return _read(platform, claims)

    def _state(self, state: str, browser: str) -> Mapping[str, Any]:
        try:
            held: Mapping[str, Any] = jwt.decode(
                state, self._secret, ["HS256"], options={"require": ["exp"], "verify_exp": False}
            )
        except UNREADABLE:
            raise Rejected(LazyMessage("its login did not begin here, or before a restart")) from None
        if held["exp"] < self._clock():
            raise Rejected(LazyMessage("its login began too long ago"))
        if not browser or not secrets.compare_digest(held["browser"], _digest(browser)):
            raise Rejected(LazyMessage("the browser did not bring back the cookie of its login"))
        return held

    def _claims(self, token: str, platform: OnPlatform, state: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            head = jwt.get_unverified_header(token)
        except UNREADABLE:
            raise Rejected(LazyMessage("it holds no token that can be read")) from None
        if head.get("alg") != ALGORITHM:
            raise Rejected(LazyMessage("its token is not signed by RS256"))
        key = self._keys.key(platform.keys, str(head.get("kid", "")))
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                [ALGORITHM],
                audience=platform.client_id,
                issuer=platform.issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "iss", "aud", "nonce"]},
            )
        except jwt.InvalidSignatureError:
            raise Rejected(LazyMessage("its token's signature is not the platform's")) from None
        except jwt.ExpiredSignatureError:
            raise Rejected(_untimely(token, state, expired=True)) from None
        except jwt.ImmatureSignatureError:
            raise Rejected(_untimely(token, state, expired=False)) from None
        except jwt.InvalidAudienceError:
            raise Rejected(LazyMessage("its token is for another tool")) from None
        except jwt.InvalidIssuerError:
            raise Rejected(LazyMessage("its token is another platform's")) from None
        except UNREADABLE:
            raise Rejected(LazyMessage("its token lacks something, or holds what cannot be")) from None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if several else platform.client_id) != platform.client_id:
            raise Rejected(LazyMessage("its token is for another tool"))
        return claims

    def _first(self, nonce: str, until: float) -> bool:
        """Tell whether a nonce comes for the first time, and keep it as long as its login holds."""
        with self._lock:
            now = self._clock()
            self._used = {token: end for token, end in self._used.items() if end >= now}
            is_first = nonce not in self._used
            self._used[nonce] = until
            return is_first


def _digest(browser: str) -> str:
    return hashlib.sha256(browser.encode()).hexdigest()


def _untimely(token: str, state: Mapping[str, Any], expired: bool) -> LazyMessage:
    """Return why a token that its platform signed does not count now: it is old, or two clocks differ."""
    claims = jwt.decode(token, options={"verify_signature": False})
    now, issued_at = time.time(), int(claims["iat"])
    if expired:
        # It was made after its login began. Where it says otherwise, the platform's clock does.
        ahead = state["begun"] - issued_at if claims["nonce"] == state["nonce"] else 0.0
        if not LEEWAY < ahead < LONGEST_LAG:
            return LazyMessage("its token has expired")
        return LazyMessage(
            "this server's clock is {seconds} seconds ahead of the platform's", seconds=round(ahead)
        )
    if LEEWAY < issued_at - now < LONGEST_LAG:
        behind = round(issued_at - now)
        return LazyMessage("this server's clock is {seconds} seconds behind the platform's", seconds=behind)
    if issued_at <= now + LEEWAY:
        return LazyMessage("its token does not count yet, by this server's clock")
    return LazyMessage("its token lacks something, or holds what cannot be")


def _read(platform: OnPlatform, claims: Mapping[str, Any]) -> Launched:
    """Return what a platform's own message says.

    Raises:
        Rejected: it is from another deployment or course, or not as the specification has it.
    """
    if claims.get(f"{CLAIM}deployment_id") not in platform.deployments:
        raise Rejected(LazyMessage("its deployment is not named in lti.toml"))
    try:
        fit = [validator for validator in get_validators() if validator.can_validate(claims)]
        held = len(fit) == 1 and fit[0].validate(claims)
    except (LtiException, AttributeError, TypeError, KeyError, ValueError):
        held = False
    kind = claims.get(f"{CLAIM}message_type")
    if not held or kind not in ("LtiResourceLinkRequest", "LtiDeepLinkingRequest"):
        raise Rejected(LazyMessage("its message is none that this tool knows"))
    roles = claims.get(f"{CLAIM}roles")
    if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
        raise Rejected(LazyMessage("its token lacks something, or holds what cannot be"))
    context, custom = _mapping(claims, f"{CLAIM}context"), _mapping(claims, f"{CLAIM}custom")
    course = _text(context, "id")
    if course not in platform.courses:
        raise Rejected(LazyMessage("its course, with the id {id}, is not named in lti.toml", id=course))
    members, scores = _mapping(claims, SERVICE["memberships"]), _mapping(claims, SERVICE["scores"])
    scopes = scores.get("scope")
    place = PlatformContext(
        platform.issuer,
        platform.client_id,
        str(claims[f"{CLAIM}deployment_id"]),
        course,
        _text(context, "title"),
        _web(members, "context_memberships_url"),
        _web(scores, "lineitems"),
        " ".join(scope for scope in scopes if isinstance(scope, str)) if isinstance(scopes, list) else "",
    )
    teaches = any(is_role(role, "Instructor") or is_role(role, "ContentDeveloper") for role in roles)
    launched = Launched(platform, claims, place, _web(scores, "lineitem"), _text(custom, "lesson"), teaches)
    if launched.settings is not None:
        if not teaches:
            raise Rejected(LazyMessage("only a teacher chooses lessons"))
        if not is_web(launched.settings.get("deep_link_return_url")):
            raise Rejected(LazyMessage("its token lacks something, or holds what cannot be"))
    return launched


def is_role(role: str, name: str) -> bool:
    """Tell whether a role from a platform is the LTI role of this name, or a sub-role of it.

    Args:
        role: the role as the platform states it, in short or as a URL.
        name: a key of `KINDS`, such as "Instructor".
    """
    return role in ROLES[name]


def _mapping(claims: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    claim = claims.get(name)
    return claim if isinstance(claim, dict) else {}


def _text(claims: Mapping[str, Any], name: str) -> str:
    claim = claims.get(name)
    return claim if isinstance(claim, str) and len(claim) <= LONGEST else ""


def _web(claims: Mapping[str, Any], name: str) -> str:
    claim = _text(claims, name)
    return claim if is_web(claim) else ""
