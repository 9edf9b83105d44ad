"""`join` and `leave`: with the learner's consent, a notebook sends results of its checks to a live room."""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from autograder.lesson import event_sender, interactive_session, progress_store
from autograder.lesson.card_in_page import card_in_page
from autograder.lesson.check_calls import EXECUTION, find_course
from autograder.lesson.event_sender import EventSender
from autograder.lesson.progress_store import Joined
from autograder.records.authoring_errors import UserError
from autograder.records.live_event import LiveEvent, as_sent, meant_code
from autograder.words.feedback_card import Notice
from autograder.words.language import _

WAIT = 3.0  # seconds for the room's first answer, since a person waits for it

# Where nothing can be kept, what was agreed to in this session.
_HERE: dict[tuple[str, str], Joined] = {}


@dataclass(frozen=True)
class Offer(Notice):
    """The notice of the data that will be sent, shown before it is; in JupyterLab, with a button to agree."""

    agrees: str = ""  # the call that joins

    __repr__ = Notice.__repr__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if interactive_session.page() != "jupyter":
            return still
        gone = Notice(_("Run this cell again, then press the button.")).html()
        agree = {"label": _("I agree: join"), "does": self.agrees, "gone": gone}
        return card_in_page("join", self.html(), still, agree=agree)


def join(address: str, code: str, agree: bool = False) -> Notice:
    """Join a live room, which receives the results of your checks, without your name and without your code.

    Nothing is sent until you have seen what would be sent, and agreed to it. `leave()` ends it.

    Args:
        address: the room's address, as your instructor shows it.
        code: the room's code.
        agree: whether you agree to what a first call has shown you.
    """
    try:
        course = find_course()
    except UserError as problem:
        return Notice(str(problem))
    if EXECUTION in os.environ:
        return Notice(_("Nothing is sent from a notebook that is being graded."))
    try:
        url = urlsplit(address.strip().rstrip("/"))
        url = url._replace(netloc=url.netloc.lower())
        is_valid = url.scheme in ("http", "https") and url.hostname and (url.port is None or url.port)
        is_valid = is_valid and "@" not in url.netloc  # what stands before it looks like another host
    except (ValueError, AttributeError, TypeError):
        is_valid = False
    meant = meant_code(str(code))
    if not is_valid or not meant:
        return Notice(
            _("This is no address, or no code, of a live room."),
            (_("Copy the whole line that your instructor shows, with both in quotation marks."),),
        )
    room = f"{progress_store.ROOM}{hashlib.sha256(f'{url.geturl()} {meant}'.encode()).hexdigest()[:16]}"
    joined = _joined(course.name, room)
    if agree or joined.agreed:
        return _begin(course.name, room, url, meant)
    agrees = f"__import__({__name__!r}, fromlist=['join']).join({address!r}, {code!r}, agree=True)"
    return Offer(_("A live room: nothing is sent yet."), _what_is_sent(url, address, code), agrees)


def _what_is_sent(url: SplitResult, address: str, code: str) -> tuple[str, ...]:
    """Return what a person agrees to, paragraph by paragraph."""
    example = as_sent(LiveEvent("0123456789abcdef", "a-task", "wrong", ("a-mistake",), 0.2)).decode()
    return (
        _(
            "If you join, {host} is told of each check and each hint: the task, what came of it (right, not "
            "yet, nothing to check yet, a hint asked for), the names of known mistakes, how many seconds ago "
            "it was, and a random number, so that you count once. It is also told that you have joined.",
            host=url.netloc,
        ),
        _("As it is sent: `{example}`", example=example),
        _(
            "Never sent: the code you write, your name, your answers in words. As any server does, the room "
            "sees a network address, and does not keep it. It shows numbers of people, and has nothing to do "
            "with grades."
        ),
        *(() if url.scheme == "https" or _is_this_machine(url.hostname or "") else (_in_the_open(),)),
        _(
            'To agree, run `join("{address}", "{code}", agree=True)`. `leave()` ends it at any time.',
            address=address,
            code=code,
        ),
    )


def _in_the_open() -> str:
    return _("The way there is not encrypted: others in the same network could read it.")


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _begin(course: str, room: str, url: SplitResult, code: str) -> Notice:
    """Begin to send; the room's first answer is waited for, and nothing else ever is."""
    joined = _joined(course, room)
    joined = replace(joined, learner=joined.learner or secrets.token_hex(8), agreed=True)
    _keep(course, room, joined)
    line = EventSender(url, code, joined.learner, lambda: _joined(course, room).agreed)
    event_sender.use(line)
    line.tried.wait(WAIT)
    if line.state == "refused":
        event_sender.use(None)
        _keep(course, room, replace(joined, agreed=False))
        return Notice(
            _("The room does not know this code."),
            (_("Ask for the code again. Nothing is sent."),),
        )
    notice = _("From now on, this notebook tells the room how its checks go. `leave()` ends it.")
    if line.state == "heard":
        return Notice(_("You have joined."), (notice,))
    later = _("The room does not answer. It is tried again by itself, and your checks go on as ever.")
    return Notice(_("You have joined, and the room is away."), (later, notice))


def leave() -> Notice:
    """Leave the live room: nothing more is sent, not even the events that still wait."""
    was = event_sender.is_open()
    event_sender.use(None)
    try:
        course = find_course().name
    except UserError as problem:
        return Notice(str(problem))
    for room in {
        *progress_store.rooms(course),
        *(room for joined_course, room in _HERE if joined_course == course),
    }:
        _keep(course, room, replace(_joined(course, room), agreed=False))
    if not was:
        return Notice(_("You are in no live room: nothing is sent."))
    return Notice(_("You have left the room: nothing is sent any more."))


def _joined(course: str, room: str) -> Joined:
    """Return what was agreed to of a room; whoever leaves it in one notebook has left it in all."""
    here, stored = _HERE.get((course, room)), progress_store.read_as(course, room, Joined)
    if here is None:
        return stored
    return replace(stored, agreed=stored.agreed and here.agreed) if stored.learner else here


def _keep(course: str, room: str, joined: Joined) -> None:
    _HERE[course, room] = joined
    progress_store.write(course, room, joined)  # where that cannot be, this session remembers
