"""A learning platform for tests, written from the specifications and with nothing of the tool's client.

LTI 1.3, 1EdTech's security framework 1.0, names and roles 2.0, assignments and grades 2.0, deep linking 2.0.
Signatures are made and checked here with RSA alone. What the tool sends and the specification does not allow
is answered with an error, and kept in `errors`.
"""

from __future__ import annotations

import base64
import html
import json
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from urllib.request import urlopen

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/scope/"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCOPES = (f"{AGS}lineitem", f"{AGS}lineitem.readonly", f"{AGS}result.readonly", f"{AGS}score", NRPS)
ROLES = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
PROGRESS = {
    "activityProgress": {"Initialized", "Started", "InProgress", "Submitted", "Completed"},
    "gradingProgress": {"FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"},
}
PAGE = 25
# Tests take their keys from here: making one takes a second.
KEYS = [rsa.generate_private_key(65537, 2048) for _ in "12"]


class Wrong(Exception):
    """A request that the specification does not allow: its status, and why."""

    def __init__(self, status: int, error: str, why: str = "") -> None:
        super().__init__(why or error)
        self.status, self.error = status, error


def b64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signed(claims: Mapping[str, Any], key: rsa.RSAPrivateKey, kid: str, **head: Any) -> str:
    """A JSON Web Signature, RFC 7515, by RS256."""
    head = {"alg": "RS256", "typ": "JWT", "kid": kid, **head}
    return sealed(json.dumps(head).encode(), json.dumps(claims).encode(), key)


def sealed(head: bytes, body: bytes, key: rsa.RSAPrivateKey) -> str:
    """Any two parts, signed."""
    output = f"{b64(head)}.{b64(body)}"
    return f"{output}.{b64(key.sign(output.encode(), padding.PKCS1v15(), SHA256()))}"


def jwk(key: rsa.RSAPrivateKey, kid: str) -> dict[str, str]:
    numbers = key.public_key().public_numbers()
    sizes = {"n": numbers.n, "e": numbers.e}
    octets = {
        name: b64(number.to_bytes((number.bit_length() + 7) // 8, "big")) for name, number in sizes.items()
    }
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, **octets}


class Platform:
    """The platform: one course, its people, its columns of scores.

    Attributes:
        scores: by column and person, all that came, the last one at the end.
        errors: what the tool asked that the specification does not allow.
        asked: how many requests came, by what they were for.
    """

    client, deployment, course = "client-1", "deployment-1", "course-1"

    def __init__(self, address: str) -> None:
        self.issuer = address
        self.keys = {"key-1": KEYS[0]}
        self.kid = "key-1"
        self.tool = ""  # its address, which the administrator enters
        self.people: list[dict[str, Any]] = []
        self.columns: list[dict[str, Any]] = []
        self.scores: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.linked: list[dict[str, Any]] = []
        self.allowed = set(SCOPES)
        self.errors: list[str] = []
        self.asked: dict[str, int] = {}
        self.trusted = True  # whether the tool's keys are believed
        self.lifetime = 3600
        self._tokens: dict[str, tuple[set[str], float]] = {}
        self._seen: set[str] = set()
        self._hints: dict[str, dict[str, Any]] = {}
        self._lock = threading.RLock()

    # What a person does.

    def opens(self, user: str, lesson: str = "", **more: Any) -> dict[str, str]:
        """What the platform has a browser bring to the tool's login when somebody opens a link."""
        hint = secrets.token_hex(8)
        self._hints[hint] = {"user": user, "lesson": lesson, **more}
        return {
            "iss": self.issuer,
            "login_hint": user,
            "target_link_uri": f"{self.tool}/launch",
            "lti_message_hint": hint,
            "client_id": self.client,
            "lti_deployment_id": self.deployment,
        }

    def claims(
        self, user: str, nonce: str, lesson: str = "", roles: tuple[str, ...] = ("Learner",), **more: Any
    ) -> dict[str, Any]:
        """What a launch's token says."""
        now = int(time.time())
        column = next((item["id"] for item in self.columns if item.get("resourceId") == lesson), None)
        output = {
            "iss": self.issuer,
            "aud": self.client,
            "sub": user,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": self.deployment,
            f"{CLAIM}target_link_uri": f"{self.tool}/launch",
            f"{CLAIM}resource_link": {"id": "link-1", "title": "A lesson"},
            f"{CLAIM}roles": [f"{ROLES}{role}" for role in roles],
            f"{CLAIM}context": {"id": self.course, "title": "Deep learning"},
            f"{CLAIM}custom": {"lesson": lesson},
            "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {
                "context_memberships_url": f"{self.issuer}/memberships",
                "service_versions": ["2.0"],
            },
            "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": {
                "scope": sorted(scope for scope in self.allowed if scope.startswith(AGS)),
                "lineitems": f"{self.issuer}/lineitems",
                **({"lineitem": column} if column else {}),
            },
        }
        if more.pop("deep", False):
            del output[f"{CLAIM}resource_link"]
            output[f"{CLAIM}message_type"] = "LtiDeepLinkingRequest"
            output["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] = {
                "deep_link_return_url": f"{self.issuer}/linked",
                "accept_types": ["ltiResourceLink"],
                "accept_presentation_document_targets": ["window"],
                "data": "what must come back",
            }
        return {**output, **more}

    # What the tool asks.

    def auth(self, asked: Mapping[str, str]) -> str:
        """OpenID Connect's authentication request; answered with a form that the browser sends on."""
        fixed = {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
        }
        for name, wanted in {
            **fixed,
            "client_id": self.client,
            "redirect_uri": f"{self.tool}/launch",
        }.items():
            if asked.get(name) != wanted:
                raise Wrong(400, "invalid_request", f"{name} is {asked.get(name)!r}")
        hint = self._hints.pop(asked.get("lti_message_hint", ""), None)
        if hint is None or asked.get("login_hint") != hint["user"]:
            raise Wrong(400, "login_required", "nobody logged in asks for this")
        self._once(f"nonce {asked.get('nonce') or ''}")
        if not asked.get("state"):
            raise Wrong(400, "invalid_request", "no state")
        token = signed(self.claims(nonce=asked["nonce"], **hint), self.keys[self.kid], self.kid)
        fields = {"state": asked["state"], "id_token": token}
        inputs = "".join(
            f'<input name="{name}" value="{html.escape(value)}">' for name, value in fields.items()
        )
        return f'<form method="post" action="{html.escape(asked["redirect_uri"])}">{inputs}</form>'

    def token(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """OAuth 2 client credentials with a signed assertion, RFC 7523."""
        if asked.get("grant_type") != "client_credentials" or asked.get("client_assertion_type") != ASSERTION:
            raise Wrong(400, "unsupported_grant_type")
        if not self.trusted:
            raise Wrong(401, "invalid_client", "the tool's key was revoked")
        claims = self.checked(asked.get("client_assertion", ""))
        if claims.get("iss") != self.client or claims.get("sub") != self.client:
            raise Wrong(401, "invalid_client", "the assertion is another client's")
        if f"{self.issuer}/token" not in (
            claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        ):
            raise Wrong(401, "invalid_client", "the assertion is for another audience")
        self._once(f"jti {claims['jti']}")
        wanted = set(asked.get("scope", "").split())
        if not wanted or not wanted <= self.allowed:
            raise Wrong(400, "invalid_scope", f"not allowed: {sorted(wanted - self.allowed)}")
        result = secrets.token_urlsafe(16)
        self._tokens[result] = wanted, time.time() + self.lifetime
        return {
            "access_token": result,
            "token_type": "Bearer",
            "expires_in": self.lifetime,
            "scope": " ".join(wanted),
        }

    def checked(self, token: str) -> dict[str, Any]:
        """The claims of a token of the tool's, whose keys are fetched from where it publishes them."""
        head, claims, signature = token.split(".")
        read = json.loads(unb64(head))
        if read.get("alg") != "RS256":
            raise Wrong(401, "invalid_client", f"signed by {read.get('alg')}")
        with urlopen(f"{self.tool}/jwks") as answer:
            actual = [key for key in json.load(answer)["keys"] if key["kid"] == read.get("kid")]
        if len(actual) != 1:
            raise Wrong(401, "invalid_client", "the tool publishes no such key")
        n, e = (int.from_bytes(unb64(actual[0][name]), "big") for name in "ne")
        try:
            rsa.RSAPublicNumbers(e, n).public_key().verify(
                unb64(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), SHA256()
            )
        except InvalidSignature:
            raise Wrong(401, "invalid_client", "the signature is wrong") from None
        output: dict[str, Any] = json.loads(unb64(claims))
        now = time.time()
        if not now - 300 < output["iat"] <= now + 5 or not now < output["exp"] <= now + 3600:
            raise Wrong(401, "invalid_client", "the assertion is too old or lives too long")
        return output

    def expire(self) -> None:
        """Every access token ends now."""
        self._tokens = {token: (scopes, 0.0) for token, (scopes, _) in self._tokens.items()}

    def link(self, token: str) -> str:
        """Deep linking's answer, which the browser brings."""
        output = self.checked(token)
        fixed = {
            "message_type": "LtiDeepLinkingResponse",
            "version": "1.3.0",
            "deployment_id": self.deployment,
        }
        for name, wanted in fixed.items():
            if output.get(f"{CLAIM}{name}") != wanted:
                raise Wrong(400, "invalid_request", name)
        if output["iss"] != self.client or self.issuer not in output["aud"]:
            raise Wrong(400, "invalid_request", "from or for another")
        if output.get("https://purl.imsglobal.org/spec/lti-dl/claim/data") != "what must come back":
            raise Wrong(400, "invalid_request", "data")
        self._once(f"nonce {output['nonce']}")
        for item in output["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]:
            self.linked.append(item)
            if "lineItem" in item:
                self.add_column(item["lineItem"])
        return "linked"

    def add_column(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if not given.get("label") or not given.get("scoreMaximum", 0) > 0:
            raise Wrong(400, "invalid_request", "a column needs a label and a maximum")
        # Addresses with large letters and a query, as some platforms have them.
        result = {**given, "id": f"{self.issuer}/lineitems/Col{len(self.columns)}?Type=A"}
        self.columns.append(result)
        return result

    def score(self, column: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """A score, as assignments and grades 2.0 has it."""
        for name, reference in PROGRESS.items():
            if given.get(name) not in reference:
                raise Wrong(400, "invalid_request", name)
        user = given.get("userId")
        if user not in {item["user_id"] for item in self.people}:
            raise Wrong(404, "invalid_request", "nobody has this id")
        if not datetime.fromisoformat(given["timestamp"]).tzinfo:
            raise Wrong(400, "invalid_request", "timestamp")
        if not given["scoreGiven"] >= 0 or not given["scoreMaximum"] > 0:
            raise Wrong(400, "invalid_request", "scoreGiven")
        before = self.scores.setdefault((column["id"], user), [])
        if before and given["timestamp"] <= before[-1]["timestamp"]:
            raise Wrong(409, "invalid_request", "older than what is there")
        before.append(dict(given))

    def allow(self, header: str, *scopes: str) -> None:
        token = header.removeprefix("Bearer ")
        granted, until = self._tokens.get(token, (set(), 0.0))
        if until < time.time():
            raise Wrong(401, "invalid_token", "unknown or expired")
        if not granted & set(scopes):
            raise Wrong(403, "insufficient_scope")

    def _once(self, what: str) -> None:
        with self._lock:
            if len(what.split()) < 2 or what in self._seen:
                raise Wrong(400, "invalid_request", f"missing or seen before: {what}")
            self._seen.add(what)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    platform: Platform

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes | None) -> None:
        home, place = self.platform, urlsplit(self.path)
        self._more: dict[str, str] = {}
        try:
            with home._lock:
                home.asked[place.path] = home.asked.get(place.path, 0) + 1
            status, kind, output = (
                200,
                "application/json",
                self._find(place.path, parse_qs(place.query), body),
            )
            if isinstance(output, str):
                kind, output = "text/html", output
        except Wrong as problem:
            home.errors.append(f"{place.path}: {problem}")
            status, kind = problem.status, "application/json"
            output = {"error": problem.error, "error_description": str(problem)}
        content = output.encode() if isinstance(output, str) else json.dumps(output).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **self._more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _find(self, path: str, query: Mapping[str, list[str]], body: bytes | None) -> Any:
        home, bearer = self.platform, self.headers.get("Authorization", "")
        form = dict(parse_qsl((body or b"").decode())) if body and body[:1] != b"{" else {}
        if path == "/jwks":
            return {"keys": [jwk(key, kid) for kid, key in home.keys.items()]}
        if path == "/auth":
            return home.auth({name: values[0] for name, values in query.items()})
        if path == "/token":
            return home.token(form)
        if path == "/linked":
            return home.link(form["JWT"])
        if path == "/memberships":
            home.allow(bearer, NRPS)
            # A cursor of large and small letters, which must come back as it is.
            start = int(query.get("Cursor", ["AbC0"])[0].removeprefix("AbC"))
            if start + PAGE < len(home.people):
                self._more["Link"] = f'<{home.issuer}/memberships?Cursor=AbC{start + PAGE}>; rel="next"'
            members = home.people[start : start + PAGE]
            return {"id": home.issuer, "context": {"id": home.course}, "members": members}
        if path == "/lineitems":
            home.allow(bearer, f"{AGS}lineitem", *([f"{AGS}lineitem.readonly"] if body is None else []))
            return home.columns if body is None else home.add_column(json.loads(body))
        column = re.fullmatch(r"/lineitems/(\w+)(/scores)?", path)
        for item in home.columns:
            if column and urlsplit(item["id"]).path == f"/lineitems/{column[1]}":
                if column[2]:
                    home.allow(bearer, f"{AGS}score")
                    if self.headers["Content-Type"] != "application/vnd.ims.lis.v1.score+json":
                        raise Wrong(415, "invalid_request", "the kind of content")
                    home.score(item, json.loads(body or b"{}"))
                    return {}
                home.allow(bearer, f"{AGS}lineitem", f"{AGS}lineitem.readonly")
                return item
        raise Wrong(404, "invalid_request", path)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def platform() -> Iterator[Platform]:
    """A platform that listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {}))
    result = Platform(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass.platform = result  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield result
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
