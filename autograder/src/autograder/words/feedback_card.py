"""A verdict as a learner sees it: rich HTML in JupyterLab, plain text everywhere else."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograder.records import findings as f
from autograder.records.bank import Task
from autograder.words.language import _, ngettext
from autograder.words.mismatch_picture import difference_picture
from autograder.words.phrases import N_, Message, capital, listed
from autograder.words.wording import asked_instead, failing, mistakes, stood_in, word

# JupyterLab's own colours where they exist, so that the card follows the light and the dark theme.
# No headings: JupyterLab lists those of outputs in its table of contents, among the lesson's own.
STYLE = """
.ag{font:14px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--jp-ui-font-color1,#1f1f1f);
border-left:5px solid var(--ag-mark);padding:.5em .9em;margin:.3em 0;background:var(--jp-layout-color1,#fff)}
.ag-ok{--ag-mark:#2e8540}.ag-no{--ag-mark:#c8102e}.ag-wait{--ag-mark:#8a6d00}
.ag p{margin:.25em 0}.ag .ag-head{margin:0 0 .2em;font-weight:600}
.ag .ag-head .ag-small{font-weight:400}.ag ul{margin:.3em 0;padding:0;list-style:none}
.ag code,.ag pre{font-family:var(--jp-code-font-family,monospace);font-size:.95em;
background:var(--jp-layout-color2,#f0f0f0);color:inherit;padding:0 .2em;border-radius:2px}
.ag pre{padding:.35em .6em;margin:.3em 0;overflow-x:auto}
.ag .ag-hint{border-top:1px solid var(--jp-border-color2,#ccc);margin-top:.5em;padding-top:.4em}
.ag .ag-small{color:var(--jp-ui-font-color2,#555);font-size:.92em}
.ag svg .ag-title,.ag svg .ag-note{font:12px system-ui,sans-serif;fill:var(--jp-ui-font-color1,#1f1f1f)}
.ag svg .ag-number{font:11px var(--jp-code-font-family,monospace)}
""".replace("\n", "")


def display_with_below(shown: Any) -> None:
    """Display an object, and then what its `below` makes."""
    if shown.below is None:
        raise NotImplementedError  # then IPython shows text and HTML, as of any other object
    from IPython.display import display

    display({"text/plain": repr(shown), "text/html": shown._repr_html_()}, raw=True)
    display(shown.below(), raw=True)


@dataclass(frozen=True)
class Feedback:
    """What `check` shows. Truthy when all checks of the task pass.

    `below` makes what stands under the card where there is somebody to use it, as a widget's data; `aside` is
    a sentence about something else than the answer.
    """

    task: Task
    verdict: f.Verdict
    below: Callable[[], dict[str, Any]] | None = field(default=None, repr=False, compare=False)
    aside: str = ""

    def __bool__(self) -> bool:
        return self.verdict.passed

    def __repr__(self) -> str:
        text = plain_text(self.task, self.verdict)
        return f"{text}\n{self.aside}" if self.aside else text

    def _repr_html_(self) -> str:
        shown = rich_text(self.task, self.verdict)
        return shown + card("wait", "", f"<p>{_escape(self.aside)}</p>") if self.aside else shown

    _ipython_display_ = display_with_below


@dataclass(frozen=True)
class Notice:
    """A short message that is not a verdict: a hint, a fault of ours, a name that is no task."""

    headline: str
    lines: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return _strip("\n".join([self.headline, *(_wrap(line) for line in self.lines)]))

    def _repr_html_(self) -> str:
        return self.html(spoken=True)

    def html(self, spoken: bool = False) -> str:
        """Return the message as HTML; a screen reader reads it out by itself where it is `spoken`."""
        return card(
            "wait", inline(self.headline), "".join(f"<p>{inline(line)}</p>" for line in self.lines), spoken
        )


def rich_text(task: Task, verdict: f.Verdict) -> str:
    """Return the verdict as one piece of HTML; every text that came from a learner is escaped."""
    if verdict.passed:
        body = "".join(f"<p>{inline(text)}</p>" for text in (task.learned, stood_in(verdict)) if text)
        return card("ok", _head(f"✓ {_escape(task.title)}", verdict), body)
    finding = verdict.finding
    assert finding is not None
    message = word(finding, task, verdict)
    body = f"<p><strong>{inline(message.headline)}</strong></p>"
    if message.code:
        body += f"<pre>{_escape(message.code)}</pre>"
    details = "".join(f"<p>{inline(detail)}</p>" for detail in message.details)
    # What explains a part only comes after what was seen.
    body += _named_html(verdict) + details if verdict.whole else details + _named_html(verdict)
    if isinstance(finding, f.WrongValues) and finding.obtained_tensor is not None:
        assert finding.expected_tensor is not None
        body += difference_picture(finding.obtained_tensor, finding.expected_tensor, finding.index)
    body += _results_html(task, verdict)
    body += f'<p class="ag-hint ag-small">{inline(_stuck(task))}</p>'
    mark = "wait" if isinstance(finding, f.Untried) else "no"
    sign = "…" if mark == "wait" else "✗"
    return card(mark, _head(f"{sign} {_escape(task.title)}", verdict), body)


def plain_text(task: Task, verdict: f.Verdict) -> str:
    """Return the verdict for a terminal, a log or a screen reader."""
    points = _points(verdict)
    if verdict.passed:
        right = _("right")
        lines = [f"[{right}] {task.title} ({points})", _wrap(task.learned)]
        if verdict.stood_in:
            lines.append(_wrap(stood_in(verdict)))
        return _strip("\n".join(lines))
    finding = verdict.finding
    assert finding is not None
    message: Message = word(finding, task, verdict)
    not_yet = _("not yet")
    lines = [f"[{not_yet}] {task.title} ({points})", _wrap(message.headline)]
    if message.code:
        lines.append(f"    {message.code}")
    details = [_wrap(detail) for detail in message.details]
    named = [_wrap(line) for line in named_lines(verdict)]
    lines += [*named, *details] if verdict.whole else [*details, *named]
    if _is_listed(verdict):
        for result in verdict.results:
            lines.append(f"  {'ok ' if result.finding is None else '-- '} {result.title}")
            says = _why(task, verdict, result)
            if says:
                lines.append(textwrap.indent(textwrap.fill(says, width=80), "        "))
        if verdict.forbidden:
            costs = _("costs {points}", points=verdict.cost)
            lines.append(f"  --  {asked_instead(verdict.forbidden, task)} ({costs})")
    lines.append(_stuck(task).replace("`", ""))
    return _strip("\n".join(lines))


def _named_html(verdict: f.Verdict) -> str:
    """Return the hints of the named mistakes, and what they explain, as HTML."""
    claim, hints = _claim(verdict), [inline(one.hint) for one in verdict.named]
    body = f"<p>{inline(claim)}</p>" if claim else ""
    if len(hints) > 1:
        return f"{body}<ol>{''.join(f'<li>{hint}</li>' for hint in hints)}</ol>"
    return body + "".join(f"<p>{hint}</p>" for hint in hints)


def named_lines(verdict: f.Verdict) -> list[str]:
    """Return the hints of the named mistakes, and what they explain, as paragraphs of plain text."""
    claim, hints = _claim(verdict), [one.hint for one in verdict.named]
    if len(hints) > 1:
        hints = [f"{number}. {hint}" for number, hint in enumerate(hints, start=1)]
    return [line for line in (claim, *hints) if line]


# What is proven, of one mistake and of several. A hint tells of the code in which its mistake was tried, and
# other code may come to the same.
_CLAIMS = {
    "same": N_(
        "This mistake gives exactly the same result:", "{several} together give exactly the same result:"
    ),
    "stops": N_("This mistake stops in the same way:", "{several} together stop in the same way:"),
    "ending": N_("Many mistakes end in this result. One of them:", "{several} together fit what was seen:"),
    "likeness": N_("This mistake fits what was seen:", "{several} together fit what was seen:"),
}


def _claim(verdict: f.Verdict) -> str:
    """Say what is proven of the named mistakes; "" for one that is seen by itself, or none."""
    count = len(verdict.named)
    if not count:
        return ""
    if not verdict.whole and not verdict.explains:
        return _("This fits at least a part of what was seen:")
    if count == 1 and verdict.whole and not verdict.shown:
        return ""
    several = capital(mistakes(count)) if count > 1 else ""
    sentences = _CLAIMS[verdict.shown or "likeness"]
    claim = _(sentences[count > 1], several=several)
    if verdict.whole:
        return claim
    checks = listed([f"“{title}”" for title in verdict.explains])
    return _("In {checks}: {claim}", checks=checks, claim=claim)


def _stuck(task: Task) -> str:
    return _('Stuck? `hint("{task}")` gives one hint at a time.', task=task.id)


def card(mark: str, head: str, body: str, spoken: bool = True) -> str:
    """Return a card of HTML, marked "ok", "no" or "wait"; a screen reader reads it out if it is `spoken`."""
    role = ' role="status"' if spoken else ""
    top = f'<p class="ag-head">{head}</p>' if head else ""
    return f'<style>{STYLE}</style><div class="ag ag-{mark}"{role}>{top}{body}</div>'


def item(sign: str, label: str, text: str, note: str) -> str:
    """Return an item of a list in HTML: a sign with the words that it stands for, a text and a small note."""
    line = f'<span role="img" aria-label="{label}">{sign}</span> {inline(text)}'
    return f'<li>{line} <span class="ag-small">{note}</span></li>'


def _head(title: str, verdict: f.Verdict) -> str:
    return f'{title} <span class="ag-small">{_points(verdict)}</span>'


def _points(verdict: f.Verdict) -> str:
    return ngettext(
        "{earned} of {number} point", "{earned} of {number} points", verdict.points, earned=verdict.earned
    )


def _results_html(task: Task, verdict: f.Verdict) -> str:
    """Each check on a line of its own, so that one failure does not hide what is right already."""
    if not _is_listed(verdict):
        return ""
    lines = []
    for result in verdict.results:
        sign, label = ("✓", _("right")) if result.finding is None else ("✗", _("not yet"))
        says = _why(task, verdict, result)
        below = f"<br>{inline(says)}" if says else ""
        points = _("{earned} of {points}", earned=result.earned, points=result.points)
        lines.append(item(sign, label, result.title, points + below))
    if verdict.forbidden:
        costs = _("costs {points}", points=verdict.cost)
        lines.append(item("✗", _("not yet"), asked_instead(verdict.forbidden, task), costs))
    return f"<ul>{''.join(lines)}</ul>"


def _why(task: Task, verdict: f.Verdict, result: f.CheckResult) -> str:
    """Return what to say below a check's title: on which input it fails, or how if not yet told."""
    finding = result.finding
    if finding is None:
        return ""
    first = verdict.finding
    told = finding is first or isinstance(finding, f.MatchesKnownWrong)
    if isinstance(finding, f.Raised) and isinstance(first, f.Raised):
        told = told or (finding.error.type, finding.error.line) == (first.error.type, first.error.line)
    if isinstance(finding, f.NotCalled) and isinstance(first, f.NotCalled):
        told = told or finding.uncalled == first.uncalled
    earlier = list(itertools.takewhile(lambda other: other is not result, verdict.results))
    wrong = [other.finding for other in earlier if other.finding is not None]
    # An experiment whose numbers are the answer's own tells nothing where those are wrong without it.
    if wrong and isinstance(finding, f.WrongBehaviour) and finding.of_result:
        return failing(wrong[0], task, again=True)
    if not told:
        return word(finding, task).headline
    return failing(finding, task, again=any(other.probe == finding.probe for other in wrong))


def _is_listed(verdict: f.Verdict) -> bool:
    """Tell whether a list of checks says more than the finding, which may be about the answer as a whole."""
    finding = verdict.finding
    if isinstance(finding, f.CallsForbidden):
        return True
    one = len(verdict.results) == 1 and not verdict.forbidden
    return not one and finding is not None and bool(finding.probe)


def inline(text: str) -> str:
    """Escape a text and set what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _escape(text))


def _escape(text: str) -> str:
    return html.escape(_strip(text))


def _wrap(text: str) -> str:
    return textwrap.fill(text, width=88)


def _strip(text: str) -> str:
    # Control characters from an error message must not reach a terminal.
    if text.isprintable():
        return text
    return "".join(char for char in text if char == "\n" or char.isprintable())
