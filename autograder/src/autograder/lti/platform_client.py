"""Send requests to a platform, with limits on time and size; each failure is reported in one sentence."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from pylti1p3.exception import LtiException, LtiServiceException
from pylti1p3.registration import Registration
from pylti1p3.service_connector import ServiceConnector
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from autograder.lti.registrations import is_web
from autograder.records.authoring_errors import UserError
from autograder.words.sanitize import one_line

PATIENCE = 20  # seconds without a byte
LONGEST = 60  # seconds for one answer, however slowly it comes
MOST = 10_000_000  # bytes of one answer
PART = 65_536
NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?', re.IGNORECASE)


class Unreachable(UserError):
    """A platform did not do what was asked of it. The message says what, and how the platform answered."""


class Session(requests.Session):
    """An HTTP session with a timeout for every request. It tries again later if the platform is busy."""

    def __init__(self) -> None:
        super().__init__()
        busy = Retry(total=4, connect=1, read=0, status_forcelist=(429, 503), allowed_methods=None,
                     backoff_factor=0.5, respect_retry_after_header=True, raise_on_status=False)  # fmt: skip
        for scheme in ("https://", "http://"):
            self.mount(scheme, HTTPAdapter(max_retries=busy))

    def request(self, *words: Any, **more: Any) -> requests.Response:
        answer = super().request(*words, **{"timeout": PATIENCE, **more, "stream": True})
        answer._content = _content(answer)
        return answer

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return the address to which a response redirects, or None.

        Raises:
            requests.exceptions.InvalidSchema: the address is not encrypted.
        """
        target: str | None = super().get_redirect_target(resp)
        if target and not is_web(urljoin(resp.url, target)):
            raise requests.exceptions.InvalidSchema("it sends to an address that is not encrypted")
        return target


def _content(answer: requests.Response) -> bytes:
    """Read an answer to its end.

    Raises:
        requests.RequestException: it has none, or is too long, or not what its head says.
    """
    content, until = bytearray(), time.monotonic() + LONGEST
    try:
        while part := answer.raw.read1(PART, decode_content=True):
            content += part
            if len(content) > MOST or time.monotonic() > until:
                raise requests.RequestException("the answer is too long")
    except HTTPError as problem:  # the library's own, which it lets pass here
        raise requests.ConnectionError("the answer broke off") from problem
    return bytes(content)


def fetch(address: str) -> Any:
    """Return the JSON document at an address.

    Raises:
        requests.RequestException: it cannot be fetched, or is not JSON.
    """
    with Session() as session:
        answer = session.get(address)
        answer.raise_for_status()
        return answer.json()


class Connection(ServiceConnector):
    """PyLTI1p3's connector to a platform's services, without its faults.

    The library changes the address of the next page to lower case, keeps an access token after it has
    expired, and fails with an error of its own if a response is not JSON.
    """

    def __init__(self, registration: Registration) -> None:
        super().__init__(registration, Session())

    def forget(self) -> None:
        """Discard all access tokens, so that new ones are requested."""
        self._access_tokens.clear()

    def make_service_request(
        self,
        scopes: Sequence[str],
        url: str,
        is_post: bool = False,
        data: str | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        case_insensitive_headers: bool = False,
    ) -> Any:
        """Send a request to a service; if the platform refuses the access token, retry once with a new one.

        Args:
            scopes: the OAuth scopes of the access token.
            url: the address of the service.
            is_post: whether to send a POST request rather than a GET request.
            data: the body of a POST request.
            content_type: the type of that body.
            accept: the type of the expected response.
            case_insensitive_headers: a parameter of the library's, without effect here.

        Returns:
            The response's `headers`, its `body` as parsed JSON, and `next_page_url`.

        Raises:
            Unreachable: the platform did not answer as the specification requires.
        """
        for is_last in (False, True):
            try:
                headers = {"Authorization": f"Bearer {self.get_access_token(scopes)}", "Accept": accept}
                if is_post:
                    headers["Content-Type"] = content_type
                method = "POST" if is_post else "GET"
                # Sent on to elsewhere, it would become a question, whose answer says nothing of a score.
                answer = self._requests_session.request(
                    method, url, data=data, headers=headers, allow_redirects=not is_post
                )
                if answer.status_code == 401 and not is_last:
                    self.forget()
                    continue
                if not 200 <= answer.status_code < 300:
                    raise LtiServiceException(answer)
                body = answer.json() if answer.content and not (is_post and "json" not in accept) else None
                return {"headers": answer.headers, "body": body, "next_page_url": _next(answer, url)}
            except LtiServiceException as problem:
                raise Unreachable(_reason_of(problem.response)) from None
            except (requests.RequestException, ValueError, KeyError, TypeError, RecursionError) as problem:
                raise Unreachable(
                    f"{_host(url)} does not answer as a platform does: {_kind(problem)}."
                ) from None
            except LtiException as problem:
                raise Unreachable(one_line(str(problem))) from None
        raise AssertionError("the second try returns or raises")


def _next(answer: requests.Response, url: str) -> str | None:
    """Return the address of the next page, on the same host: it is asked with the same access token."""
    link = NEXT.search(answer.headers.get("link", ""))
    if not link:
        return None
    address: str = urljoin(url, link[1])
    if not is_web(address) or urlsplit(address)[:2] != urlsplit(url)[:2]:
        raise Unreachable(f"{_host(url)} sends to another host for the next page.")
    return address


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _reason_of(answer: requests.Response) -> str:
    try:
        content = json.loads(answer.text)
        reason = content.get("error_description") or content.get("error") or content.get("message") or ""
    except (ValueError, AttributeError):
        reason = ""
    why = f": {one_line(str(reason))[:200]}" if reason else ""
    return f"{_host(answer.url)} answered {answer.status_code}{why}."


def _kind(problem: Exception) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(problem).__name__).lower()
